import type { Clock } from '#core/time/clock.ts';
import type { ExtractionPool } from '#extract/pool/extraction-pool.ts';

/** The threads that extract documents, one pool for the whole daemon. */
export interface SharedExtraction {
  /** Imported with the first document, so that a daemon that reads none needs no memory for it. */
  extractor(): Promise<ExtractionPool>;
  close(): Promise<void>;
}

export function createSharedExtraction(clock: Clock): SharedExtraction {
  let pool: Promise<ExtractionPool> | undefined;
  return {
    extractor: () =>
      (pool ??= import('#extract/pool/extraction-pool.ts').then(({ createExtractionPool }) =>
        createExtractionPool({ clock }),
      )),
    async close() {
      await (await pool)?.close();
    },
  };
}
