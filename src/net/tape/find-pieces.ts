/** From its first character to the one after its last. */
export type Range = readonly [from: number, to: number];

const MIN_PIECE_CHARS = 6;
/** Shorter keys are made up of words. */
const MIN_KEY_CHARS = 20;

/** Where a text quotes a beginning, an end or a middle of a key, as servers do that refuse it. */
export function findPieces(text: string, key: string): readonly Range[] {
  if (key.length < MIN_KEY_CHARS) return [];
  const begins = new Set<number>();
  for (let at = 0; at + MIN_PIECE_CHARS <= key.length; at += 1) begins.add(pairAt(key, at));
  const found: Range[] = [];
  for (let at = 0; at + MIN_PIECE_CHARS <= text.length;) {
    // Nearly every place is passed by without a copy of it being made.
    if (!begins.has(pairAt(text, at)) || !key.includes(text.slice(at, at + MIN_PIECE_CHARS))) {
      at += 1;
      continue;
    }
    let to = at + MIN_PIECE_CHARS;
    while (to < text.length && key.includes(text.slice(at, to + 1))) to += 1;
    found.push([at, to]);
    at = to;
  }
  return found;
}

const pairAt = (text: string, at: number): number =>
  text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);
