import { pause } from '#core/turns.ts';

/** Work of about a few milliseconds, measured in characters. */
const CHARS_PER_TURN = 24_000;

/** Pauses after some amount of work, so that other calls are not held up. */
export function createScanTurns(): (chars: number) => Promise<void> | undefined {
  let done = 0;
  return (chars) => {
    done += chars;
    if (done < CHARS_PER_TURN) return undefined;
    done = 0;
    return pause();
  };
}
