const MAX_CHARS = 64;

/** A stranger's text as it may stand in a message of ours: short, and on one line. */
export function oneLine(text: string): string {
  const start = text.slice(0, MAX_CHARS).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return text.length > MAX_CHARS ? `${start}…` : start;
}
