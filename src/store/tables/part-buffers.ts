import { PART_BYTES } from './content-parts.ts';

export interface PartBuffers {
  /** A buffer of PART_BYTES with any content. */
  acquire(): Uint8Array;
  /** Another part may use it now. */
  release(buffer: Uint8Array): void;
}

/** Free buffers that are kept. */
const MAX_FREE = 4;

/**
 * The buffers of parts. Their memory is shared with the writer thread, so that no part is copied on
 * its way, and used again, so that a file of any size takes the memory of a few parts.
 */
export function createPartBuffers(): PartBuffers {
  const free: Uint8Array[] = [];
  return {
    acquire: () => free.pop() ?? new Uint8Array(new SharedArrayBuffer(PART_BYTES)),
    release(buffer) {
      if (free.length < MAX_FREE) free.push(buffer);
    },
  };
}
