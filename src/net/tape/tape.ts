import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Ended, TapedChunk } from './tape.schema.ts';

/** What is kept of one answer; of a longer one the recording has the beginning. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Takes secrets out; the bytes keep their number. */
export type Clean = (bytes: Uint8Array) => Uint8Array;

export type Tape = AsyncIterableIterator<Uint8Array>;

/** Hands a body on, and tells when it is over what came when. */
export function createTape(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  onEnd: (ended: Ended, chunks: (clean: Clean) => TapedChunk[]) => void,
): Tape {
  const source = body[Symbol.asyncIterator]();
  const startedAt = clock.monotonic();
  const kept: { atMs: number; bytes: Uint8Array }[] = [];
  let size = 0;
  let isOver = false;

  function keep(bytes: Uint8Array): void {
    size += bytes.length;
    if (size > MAX_KEPT_BYTES) return;
    kept.push({ atMs: Math.round(clock.monotonic() - startedAt), bytes: Uint8Array.from(bytes) });
  }

  function end(ended: Ended): void {
    if (isOver) return;
    isOver = true;
    onEnd(size > MAX_KEPT_BYTES ? tooLong() : ended, (clean) => cleanChunks(kept, clean));
  }

  return {
    async next() {
      try {
        const result = await source.next();
        if (result.done === true) end('whole');
        else keep(result.value);
        return result;
      } catch (error) {
        const { class: errorClass, message } = CallError.from(error);
        end({ class: errorClass, message });
        throw error;
      }
    },
    async return() {
      end('left by its reader');
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function tooLong(): Ended {
  return { class: 'too_large', message: 'The answer was too long to be recorded whole.' };
}

/** A secret may lie across two chunks, so they are cleaned together and cut again. */
function cleanChunks(
  kept: readonly { readonly atMs: number; readonly bytes: Uint8Array }[],
  clean: Clean,
): TapedChunk[] {
  const all = Buffer.from(clean(Buffer.concat(kept.map(({ bytes }) => bytes))));
  let at = 0;
  return kept.map(({ atMs, bytes }) => {
    const chunk = all.subarray(at, at + bytes.length);
    at += bytes.length;
    const text = chunk.toString('utf8');
    return Buffer.from(text).equals(chunk)
      ? { atMs, text }
      : { atMs, base64: chunk.toString('base64') };
  });
}
