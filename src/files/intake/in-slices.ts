import { createHash } from 'node:crypto';

/** Lets other work of the event loop run. */
export type Pause = () => Promise<void>;

/** Bytes that are digested at once, in a few milliseconds. */
const SLICE_BYTES = 4 * 1024 * 1024;

/** The SHA-256 of a content in hexadecimal, with pauses where it is large. */
export async function sha256InSlices(bytes: Uint8Array, pause: Pause): Promise<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await pause();
    digest.update(bytes.subarray(at, at + SLICE_BYTES));
  }
  return digest.digest('hex');
}
