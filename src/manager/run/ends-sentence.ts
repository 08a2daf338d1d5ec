/** What of a text its last sentence is judged by. A look from every place of a long answer would take the square of its length. */
const LOOKED_AT_CHARS = 200;
const END = /[.!?…。！？][)\]"'”’»*_]*$/u;
/** Points that end no sentence: of an abbreviation, of a number in a list. */
const MERE_POINT =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|ca|dr|mr|mrs|ms|no|nr|fig|approx|z\.b|bzw)|(?:^|\n)\s*\d{1,3})\.$/i;

/** Whether a text looks finished: its last sentence has an end. */
export function endsSentence(text: string): boolean {
  const last = text.trimEnd().slice(-LOOKED_AT_CHARS);
  return END.test(last) && !MERE_POINT.test(last);
}
