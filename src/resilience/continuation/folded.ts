/** The letters and digits of a text, without what differs where the same words are written again. */
export interface Folded {
  readonly letters: string;
  /** Where each of them comes from in the text. */
  readonly at: readonly number[];
  /** Where the character ends from which each of them comes. */
  readonly ends: readonly number[];
}

/** Decomposed and full-width characters have the form of others; case, marks and white space are left out. */
export function fold(text: string): Folded {
  let letters = '';
  const at: number[] = [];
  const ends: number[] = [];
  let from = 0;
  for (const char of text) {
    const end = from + char.length;
    const folded = foldedOf(char);
    for (let index = 0; index < folded.length; index++) {
      at.push(from);
      ends.push(end);
    }
    letters += folded;
    from = end;
  }
  return { letters, at, ends };
}

function foldedOf(char: string): string {
  if (char < '\u0080') return /[a-z0-9]/i.test(char) ? char.toLowerCase() : '';
  if (!/[\p{L}\p{N}\p{M}]/u.test(char)) return '';
  return char.normalize('NFKD').toLowerCase();
}
