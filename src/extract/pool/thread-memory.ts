const MEGABYTE = 1024 * 1024;
const BASE_BYTES = 448 * MEGABYTE;
/** A document is copied, unpacked and converted. */
const BYTES_PER_BYTE = 4;
const MAX_BYTES = 1024 * MEGABYTE;

/**
 * Bytes of the process outside the heap and the buffers of the calling thread: those of the other
 * threads, and little else. The limits of a thread (`resourceLimits`) do not count its buffers.
 */
export function otherThreadsBytes(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  return Math.max(0, rss - heapTotal - external);
}

/** How much memory reading a document of so many bytes may need. */
export function memoryLimitFor(bytes: number): number {
  return Math.min(MAX_BYTES, BASE_BYTES + BYTES_PER_BYTE * bytes);
}
