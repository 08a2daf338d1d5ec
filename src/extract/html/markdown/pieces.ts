/** A text, or the start or end of emphasis, which is only written where Markdown reads it as such. */
export type Piece = string | StartMark | EndMark;

interface StartMark {
  readonly marker: string;
  readonly side: 'start';
  isUsed: boolean;
  /** How many empty lines came before it. */
  emptyLines?: number;
}

interface EndMark {
  readonly marker: string;
  readonly side: 'end';
  readonly start: StartMark;
}

const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Joins the pieces with single spaces, and emphasis without spaces at its inner edges. */
export function joinPieces(pieces: readonly Piece[]): string {
  if (pieces.every((piece) => typeof piece === 'string')) return tidy(guardLinks(pieces));
  const moved = moveSpaces(pieces);
  decideMarks(moved);
  const texts: string[] = [];
  for (const piece of moved) {
    if (typeof piece === 'string') texts.push(piece);
    else if (piece.side === 'start' ? piece.isUsed : piece.start.isUsed) texts.push(piece.marker);
  }
  return tidy(guardLinks(texts));
}

/** An exclamation mark before a link would make an image of it. */
function guardLinks(texts: readonly string[]): string {
  const guarded: string[] = [];
  for (const text of texts) {
    if (text === '') continue;
    const last = guarded.length - 1;
    if (text.startsWith('[') && guarded[last]?.endsWith('!') === true)
      guarded[last] = `${(guarded[last] as string).slice(0, -1)}\\!`;
    guarded.push(text);
  }
  return guarded.join('');
}

/** One space between words, none around line breaks, at most one empty line. */
function tidy(text: string): string {
  const spaced = text.includes('  ') ? text.replace(/ {2,}/g, ' ') : text;
  return spaced.includes('\n')
    ? spaced.replace(/ *\n */g, '\n').replace(/\n{3,}/g, '\n\n')
    : spaced;
}

/** `<b>word </b>` becomes `**word** `: spaces move to the outside, over the marks at the end so far. */
function moveSpaces(pieces: readonly Piece[]): Piece[] {
  const forwards: Piece[] = [];
  for (const piece of pieces) {
    if (typeof piece !== 'string') forwards.push(piece);
    else
      moveOver(
        forwards,
        'start',
        piece,
        piece.trimStart(),
        piece.length - piece.trimStart().length,
      );
  }
  const backwards: Piece[] = [];
  for (const piece of forwards.reverse()) {
    if (typeof piece !== 'string') backwards.push(piece);
    else moveOver(backwards, 'end', piece, piece.trimEnd(), piece.length - piece.trimEnd().length);
  }
  return backwards.reverse();
}

function moveOver(
  pieces: Piece[],
  side: 'start' | 'end',
  piece: string,
  kept: string,
  spaces: number,
): void {
  let at = pieces.length;
  while (spaces > 0 && at > 0 && isMark(pieces[at - 1], side)) at--;
  if (at === pieces.length) {
    pieces.push(piece);
    return;
  }
  pieces.splice(at, 0, piece.includes('\n') && kept === '' ? piece : ' ');
  if (kept !== '') pieces.push(kept);
}

function isMark(piece: Piece | undefined, side: 'start' | 'end'): boolean {
  return piece !== undefined && typeof piece !== 'string' && piece.side === side;
}

/** CommonMark's rules for delimiters: next to letters on one side, or to white space on the other. */
function decideMarks(pieces: readonly Piece[]): void {
  const following = charsAfter(pieces);
  let before: string | undefined;
  let isAfterEnd = false;
  let emptyLines = 0;
  let isAfterBreak = false;
  pieces.forEach((piece, index) => {
    if (typeof piece === 'string') {
      before = piece.at(-1) ?? before;
      if (piece !== '') isAfterEnd = false;
      if (piece.trim() !== '') isAfterBreak = false;
      else if (piece.includes('\n')) {
        if (isAfterBreak) emptyLines++;
        isAfterBreak = true;
      }
      return;
    }
    // Emphasis ends with the paragraph.
    if (piece.side === 'start') piece.emptyLines = emptyLines;
    else if (piece.start.emptyLines !== emptyLines) piece.start.isUsed = false;
    const start = piece.side === 'start' ? piece : piece.start;
    const after = following[index];
    const [inner, outer] = piece.side === 'start' ? [after, before] : [before, after];
    const isInnerText = inner !== undefined && !/\s/.test(inner);
    const isOuterFree = outer === undefined || /\s/.test(outer) || PUNCTUATION.test(outer);
    if (!isInnerText || (PUNCTUATION.test(inner) && !isOuterFree)) start.isUsed = false;
    // Markers of two emphases in a row would be read as one.
    if (piece.side === 'end') isAfterEnd = true;
    else if (isAfterEnd) piece.isUsed = false;
  });
  dropEmpty(pieces);
}

/** The first character after each piece. */
function charsAfter(pieces: readonly Piece[]): (string | undefined)[] {
  const result: (string | undefined)[] = [];
  let after: string | undefined;
  for (let i = pieces.length - 1; i >= 0; i--) {
    result[i] = after;
    const piece = pieces[i];
    if (typeof piece === 'string') after = piece[0] ?? after;
  }
  return result;
}

function dropEmpty(pieces: readonly Piece[]): void {
  let hasText = false;
  for (const piece of pieces) {
    if (typeof piece === 'string') hasText ||= piece !== '';
    else if (piece.side === 'start') hasText = false;
    else if (!hasText) piece.start.isUsed = false;
  }
}
