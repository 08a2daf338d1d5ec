import type { Clock, Timer } from '#core/clock.ts';

export interface SilenceOptions {
  readonly clock: Clock;
  /** Whether the daemon owes an answer. Nobody expects to hear anything from one that does not. */
  readonly isOwed: () => boolean;
  /** How much was heard of the daemon so far; nothing while we do not listen ourselves. */
  readonly heardBytes: () => number | undefined;
  /** Asks for a sign of life. */
  readonly ask: () => void;
  readonly onSilent: () => void;
}

export interface Silence {
  /** Something was asked of the daemon. */
  watch(): void;
  stop(): void;
}

const LOOK_MS = 5000;
const ASK_AFTER_LOOKS = 4;
const SILENT_AFTER_LOOKS = 6;

/**
 * Tells a daemon that hangs from one that works for long: the latter answers when asked. Looks are counted, not time,
 * since a process that was itself stopped, or blocked by a client that does not read, heard nothing meanwhile either.
 */
export function createSilence(options: SilenceOptions): Silence {
  let timer: Timer | undefined;
  let quietLooks = 0;
  let knownBytes: number | undefined;

  function stop(): void {
    timer?.stop();
    timer = undefined;
    quietLooks = 0;
  }

  function look(): void {
    timer = undefined;
    if (!options.isOwed()) return stop();
    const heard = options.heardBytes();
    quietLooks = heard !== undefined && heard === knownBytes ? quietLooks + 1 : 0;
    knownBytes = heard;
    if (quietLooks === SILENT_AFTER_LOOKS) {
      stop();
      return options.onSilent();
    }
    if (quietLooks === ASK_AFTER_LOOKS) options.ask();
    again();
  }

  function again(): void {
    timer = options.clock.after(LOOK_MS, look);
  }

  return {
    watch() {
      if (timer) return;
      knownBytes = options.heardBytes();
      again();
    },
    stop,
  };
}
