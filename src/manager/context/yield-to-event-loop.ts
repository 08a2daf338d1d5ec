import { estimateTokens } from '#models/estimate-tokens.ts';

/** Yields to the event loop. */
export type YieldPoint = () => Promise<void>;

/** Characters processed between two yields. */
const TURN_CHARS = 65_536;
/** Slice sizes in characters: coarse first, then finer. */
const SLICES = [4_096, 256];

/** Yields to the event loop after every 64 KB of processed text. */
export function createYielder(pause: YieldPoint): (chars: number) => Promise<void> {
  let since = 0;
  return async (chars) => {
    since += chars;
    if (since < TURN_CHARS) return;
    since = 0;
    await pause();
  };
}

/** `estimateTokens` in slices with yields; slice boundaries may change the count a little. */
export async function estimatePaced(text: string, pause: YieldPoint): Promise<number> {
  if (text.length <= TURN_CHARS) return estimateTokens(text);
  let tokens = 0;
  for (let at = 0; at < text.length; at += TURN_CHARS) {
    tokens += estimateTokens(text.slice(at, at + TURN_CHARS));
    await pause();
  }
  return tokens;
}

/** How many characters from the beginning or the end of a text have at most about `maxTokens`. */
export async function charsWithin(
  text: string,
  from: 'beginning' | 'end',
  maxTokens: number,
  pause: YieldPoint,
): Promise<number> {
  const pace = createYielder(pause);
  let chars = 0;
  let left = maxTokens;
  for (const slice of SLICES) {
    while (chars < text.length) {
      const next = Math.min(chars + slice, text.length);
      const tokens = estimateTokens(
        from === 'beginning'
          ? text.slice(chars, next)
          : text.slice(text.length - next, text.length - chars),
      );
      if (tokens > left) break;
      left -= tokens;
      await pace(next - chars);
      chars = next;
    }
  }
  return chars;
}

/** Limits how many tasks run at once; the others wait. A failed task does not stop the next one. */
export function createConcurrencyLimit(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot is passed on directly, without being free in between.
      if (next) next();
      else running -= 1;
    }
  };
}

/** As `Promise.all`, but waits for all promises to settle before it rejects. */
export async function allSettledOrThrow<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
