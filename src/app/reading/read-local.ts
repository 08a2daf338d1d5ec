import { createExtractionPool } from '#extract/pool/extraction-pool.ts';
import { systemClock } from '../system.ts';
import { readDocument, type ReadDocument } from './read-document.ts';

/** Reads bytes that the command line has, without a daemon. */
export async function readLocal(
  bytes: Uint8Array,
  name: string | undefined,
  signal: AbortSignal,
): Promise<ReadDocument> {
  const pool = createExtractionPool({ clock: systemClock, threads: 1 });
  try {
    return await readDocument(pool, bytes, { ...(name !== undefined && { name }) }, signal);
  } finally {
    await pool.close();
  }
}
