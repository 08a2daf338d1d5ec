/**
 * Length of a text up to `most`, where a Chinese, Japanese or Korean character counts as two letters.
 */
export function weightOf(text: string, most: number, from: number = 0): number {
  let weight = 0;
  for (let at = from; at < text.length && weight < most; at++) {
    const code = text.charCodeAt(at);
    weight += code > 0x2e7f && code < 0xd800 ? 2 : 1;
  }
  return weight;
}
