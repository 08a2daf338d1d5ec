/** The texts that hold a quote, by their indexes. */
export interface QuotedRange {
  readonly first: number;
  readonly last: number;
}

/** Finds quotes in the consecutive texts of a file. */
export interface QuoteFinder {
  /** The first occurrence within the texts from `first` to `last`. */
  find(quote: string, first: number, last: number): QuotedRange | undefined;
}

/** Shorter quotes must be whole words: two letters are in every text. */
const MIN_PART_CHARS = 5;
const GAP = /\s*(?:\[?(?:…|\.{3,})\]?)\s*/u;

/** Folds the texts once, with the first quote. */
export function createQuoteFinder(texts: readonly string[]): QuoteFinder {
  let folded: FoldedTexts | undefined;
  return {
    find(quote, first, last) {
      folded ??= foldTexts(texts);
      const { text, starts, ends } = folded;
      const pieces = quote
        .split(GAP)
        .map(foldText)
        .filter((piece) => piece !== '');
      const start = starts[first] ?? 0;
      const part = text.slice(start, ends[last] ?? text.length);
      let from = 0;
      let begin: number | undefined;
      for (const piece of pieces) {
        const at = indexOfPiece(part, piece, from);
        if (at === -1) return undefined;
        begin ??= at;
        from = at + piece.length;
      }
      if (begin === undefined) return undefined;
      return { first: indexAt(starts, start + begin), last: indexAt(starts, start + from - 1) };
    },
  };
}

interface FoldedTexts {
  readonly text: string;
  /** Where each text begins and ends in it. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function foldTexts(texts: readonly string[]): FoldedTexts {
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const text of texts) {
    const piece = foldText(text);
    starts.push(at);
    ends.push(at + piece.length);
    if (piece === '') continue;
    pieces.push(piece);
    at += piece.length + 1;
  }
  return { text: pieces.join(' '), starts, ends };
}

/** The index of the last text that begins at or before a position; empty texts come first. */
function indexAt(starts: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function indexOfPiece(text: string, piece: string, from: number): number {
  if (piece.length >= MIN_PART_CHARS) return text.indexOf(piece, from);
  for (let at = text.indexOf(piece, from); at !== -1; at = text.indexOf(piece, at + 1)) {
    if (!isWordSign(text[at - 1]) && !isWordSign(text[at + piece.length])) return at;
  }
  return -1;
}

function isWordSign(char = ''): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}

/** Letters, digits and signs that carry meaning, in lower case with single spaces. */
function foldText(text: string): string {
  const isPlain = !/[^\t\n -~]/u.test(text);
  return (
    (isPlain ? text : foldLetters(text))
      .toLowerCase()
      .replaceAll(/["`]/gu, "'")
      // Signs of Markdown: emphasis, tables, headings, escapes, entities of brackets.
      .replaceAll(/[*_~|#\\>]+/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .trim()
  );
}

/** One form for each letter, quotation mark and dash. */
function foldLetters(text: string): string {
  return (
    text
      .normalize('NFKC')
      // Invisible characters, among them soft hyphens.
      .replaceAll(/\p{Cf}+/gu, '')
      .replaceAll(/[“”„‟«»‘’‚‛′´]/gu, "'")
      .replaceAll(/[‐‑‒–—―−]/gu, '-')
  );
}
