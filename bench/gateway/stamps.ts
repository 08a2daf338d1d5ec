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

export const stamp = ({ n, askedAt, writtenAt }: Stamp): string =>
  ` @${n}:${askedAt}:${writtenAt}@`;

export function stampsIn(text: string): Stamp[] {
  return [...text.matchAll(/@(\d+):(\d+):(\d+)@/g)].map(([, n, askedAt, writtenAt]) => ({
    n: Number(n),
    askedAt: BigInt(askedAt ?? 0),
    writtenAt: BigInt(writtenAt ?? 0),
  }));
}
