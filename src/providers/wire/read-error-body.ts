import type { Clock } from '#core/clock.ts';

const MAX_BYTES = 64 * 1024;
const MAX_MS = 1000;

/**
 * The words of a refusal, as far as they come: status and headers say what it is, so neither a body without end, nor a slow one, nor one
 * that breaks off may hide them.
 */
export async function readErrorBody(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
): Promise<string> {
  const pieces = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let size = 0;
  let timer: { stop(): void } | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.after(MAX_MS, () => resolve(undefined));
  });
  try {
    while (size < MAX_BYTES) {
      const piece = await Promise.race([pieces.next(), late]);
      if (!piece || piece.done === true) break;
      read.push(piece.value);
      size += piece.value.length;
    }
  } catch {
    // What had come by then is all there is.
  } finally {
    timer?.stop();
    // How the rest ends is of no interest; a body that was read to its end takes no harm.
    pieces.return?.().catch(() => undefined);
  }
  return Buffer.concat(read).toString('utf8', 0, MAX_BYTES);
}
