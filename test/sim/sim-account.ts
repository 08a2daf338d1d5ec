import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { SeededRandom } from './random.ts';

/** How a key is with its vendor. */
export type KeyState = 'well' | 'refused' | 'spent';

/** What the account of each key allows; 0 sets no limit. */
export interface AccountPlan {
  readonly keys: readonly KeyState[];
  readonly atOnce: number;
  readonly perWindow: number;
}

/** A minute of the vendor, as long as the simulation has time for. */
const WINDOW_MS = 700;
/** Accepted requests after which the daemon may try one more at once. */
const GROWS_AFTER = 20;

export function accountPlanOf(random: SeededRandom): AccountPlan {
  const others = random.chance(0.35) ? random.between(1, 2) : 0;
  const keys = Array.from({ length: 1 + others }, (): KeyState =>
    others > 0 && random.chance(0.4) ? random.pick(['refused', 'spent']) : 'well',
  );
  const isTiered = random.chance(0.6);
  return {
    // Every vendor gets well in the end.
    keys: keys.includes('well') ? keys : [...keys.slice(1), 'well'],
    atOnce: isTiered ? random.pick([1, 1, 2]) : 0,
    perWindow: isTiered && random.chance(0.3) ? 3 : 0,
  };
}

/** A request that the account lets in, or the refusal. */
export type Entry =
  | { readonly is: 'in'; leave(): void }
  | { readonly is: 'out'; readonly error: CallError; readonly concurrency?: number };

/** One key and its account, at the vendor. */
export interface SimAccount {
  enter(): Entry;
  /** The daemon was told of a refusal that names how many may run at once. */
  told(): void;
  /** Whether the daemon sends more at once than it was told, before it may try again. */
  readonly isOverrun: boolean;
}

export function createSimAccount(
  state: KeyState,
  { atOnce, perWindow }: Pick<AccountPlan, 'atOnce' | 'perWindow'>,
  clock: Clock,
): SimAccount {
  let inside = 0;
  let accepted = 0;
  let isTold = false;
  let isOverrun = false;
  let times: number[] = [];
  const limited = (text: string, retryAfterMs?: number) =>
    new CallError('rate_limit', text, retryAfterMs === undefined ? {} : { retryAfterMs });

  return {
    enter() {
      if (state === 'refused')
        return { is: 'out', error: new CallError('auth', 'The vendor does not know the key.') };
      if (state === 'spent')
        return { is: 'out', error: new CallError('billing', 'The account has no balance.') };
      if (atOnce > 0 && inside >= atOnce) {
        isOverrun ||= isTold && accepted < GROWS_AFTER;
        accepted = 0;
        const error = limited(`max concurrency: ${atOnce}`);
        return { is: 'out', error, concurrency: atOnce };
      }
      const now = clock.monotonic();
      times = times.filter((at) => now - at < WINDOW_MS);
      const [oldest = now] = times;
      if (perWindow > 0 && times.length >= perWindow)
        return { is: 'out', error: limited('max RPM', oldest + WINDOW_MS - now) };
      times.push(now);
      inside += 1;
      accepted += 1;
      return {
        is: 'in',
        leave() {
          inside -= 1;
        },
      };
    },
    told() {
      isTold = true;
    },
    get isOverrun() {
      return isOverrun;
    },
  };
}
