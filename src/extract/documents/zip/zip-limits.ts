/** What an archive may unpack to; more is refused before it takes memory. */
export interface ZipLimits {
  readonly maxEntries: number;
  readonly maxEntryBytes: number;
  /** Over all entries that are read. */
  readonly maxTotalBytes: number;
  /** Unpacked bytes per packed byte, for entries beyond `ratioFromBytes`. */
  readonly maxRatio: number;
  readonly ratioFromBytes: number;
}

const MIB = 1024 * 1024;

export const ZIP_LIMITS: ZipLimits = {
  maxEntries: 100_000,
  maxEntryBytes: 256 * MIB,
  maxTotalBytes: 512 * MIB,
  maxRatio: 300,
  ratioFromBytes: 32 * MIB,
};
