export const DAY_MS = 86_400_000;

/** The day that was formatted last: most timestamps are of today. */
let last = { number: Number.NaN, text: '' };

/** The UTC date of a timestamp: `2026-11-15`. */
export function utcDay(ms: number): string {
  const number = Math.floor(ms / DAY_MS);
  if (number !== last.number) last = { number, text: new Date(ms).toISOString().slice(0, 10) };
  return last.text;
}

/** Whether the text is an existing date; `2026-02-30` is not. */
export function isUtcDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && utcDay(ms) === text;
}
