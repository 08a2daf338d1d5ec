const DAY_MS = 86_400_000;

/** From one day to another, both `2026-11-15`; negative when the second is earlier, NaN when one is no day. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
