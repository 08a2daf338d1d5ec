import type { DocumentSource, ReadDocument } from '#core/extract/document.ts';
import { createExtractionPool } from '#extract/pool/extraction-pool.ts';
import { systemClock } from '../system.ts';

/** Reads bytes that the command line has, without a daemon. */
export async function readLocal(
  bytes: Uint8Array,
  source: DocumentSource,
  signal: AbortSignal,
): Promise<ReadDocument> {
  const pool = createExtractionPool({ clock: systemClock, threads: 1 });
  try {
    return await pool.extract(bytes, source, signal);
  } finally {
    await pool.close();
  }
}
