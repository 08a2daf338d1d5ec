import { estimateTokens } from '#models/estimate-tokens.ts';

/** Lets others run. */
export type Pause = () => Promise<void>;

/** What is worked through before others get their turn. */
const TURN_CHARS = 65_536;
/** Coarse first, then finer. */
const SLICES = [4_096, 256];

/** Pauses whenever so much was worked through that others have waited long enough. */
export function createPace(pause: Pause): (chars: number) => Promise<void> {
  let since = 0;
  return async (chars) => {
    since += chars;
    if (since < TURN_CHARS) return;
    since = 0;
    await pause();
  };
}

/** About what `estimateTokens` says of the whole: what stands at the borders of the slices may count a little differently. */
export async function estimatePaced(text: string, pause: Pause): Promise<number> {
  if (text.length <= TURN_CHARS) return estimateTokens(text);
  let tokens = 0;
  for (let at = 0; at < text.length; at += TURN_CHARS) {
    tokens += estimateTokens(text.slice(at, at + TURN_CHARS));
    await pause();
  }
  return tokens;
}

/** How far from its beginning, or back from its end, a text goes with at most about so many tokens. */
export async function reach(
  text: string,
  from: 'beginning' | 'end',
  maxTokens: number,
  pause: Pause,
): Promise<number> {
  const pace = createPace(pause);
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
