/** Most lines need not be measured: no character takes more than three bytes. */
export function isLongerThan(maxBytes: number, line: string): boolean {
  return line.length * 3 > maxBytes && Buffer.byteLength(line) > maxBytes;
}
