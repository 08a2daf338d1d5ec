import { MIGRATIONS } from '#store/migrations.ts';
import { VERSION } from '#core/version.ts';

/** What this program is, for `exai version` and the reports of bugs. */
export const BUILD = {
  version: VERSION,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  /** The schema of the store it reads and writes. */
  schema: MIGRATIONS.length,
} as const;
