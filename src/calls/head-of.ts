const HIGH_FIRST = 0xd800;
const HIGH_LAST = 0xdbff;
/** How far back a line's end is looked for. */
const MAX_BACK = 2000;

/** The beginning of a text with at most so many tokens, up to the end of a line where one is near. */
export function headOf(
  text: string,
  maxTokens: number,
  countTokens: (text: string) => number,
): string {
  let low = 0;
  let high = text.length;
  // Counting is one pass: a few of them over ever smaller parts.
  while (high - low > 256) {
    const middle = (low + high) >> 1;
    if (countTokens(text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle;
  }
  const end = high === text.length && countTokens(text) <= maxTokens ? high : low;
  return text.slice(0, atLineEnd(text, whole(text, end)));
}

function whole(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= HIGH_FIRST && last <= HIGH_LAST ? end - 1 : end;
}

function atLineEnd(text: string, end: number): number {
  if (end >= text.length) return end;
  const line = text.lastIndexOf('\n', end - 1);
  return line > end - MAX_BACK && line > 0 ? line + 1 : end;
}
