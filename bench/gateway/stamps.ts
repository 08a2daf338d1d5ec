/**
 * What a word of a paced stream says of itself, in nanoseconds of the clock that all processes of a
 * machine share.
 */
export interface Stamp {
  /** From 0 within its stream. */
  readonly n: number;
  /** When the vendor had the request. */
  readonly askedAt: bigint;
  readonly writtenAt: bigint;
}

/** One word, as gateways hold back words that may not be complete. */
export const stamp = ({ n, askedAt, writtenAt }: Stamp): string =>
  ` w${n}a${askedAt}b${writtenAt}c`;

export function stampsIn(text: string): Stamp[] {
  return [...text.matchAll(/w(\d+)a(\d+)b(\d+)c/g)].map(([, n, askedAt, writtenAt]) => ({
    n: Number(n),
    askedAt: BigInt(askedAt ?? 0),
    writtenAt: BigInt(writtenAt ?? 0),
  }));
}
