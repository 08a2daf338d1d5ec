const MEGABYTE = 1_000_000;

/** A size for people: `2 MB`, `5.1 MB`, `0.25 MB`. */
export function inMegabytes(bytes: number): string {
  const digits = bytes % MEGABYTE === 0 ? 0 : bytes < MEGABYTE ? 2 : 1;
  return `${(bytes / MEGABYTE).toFixed(digits)} MB`;
}
