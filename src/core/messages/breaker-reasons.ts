import type { ErrorClass } from '../errors/error-class.ts';
import { oneLine } from '../text/text.ts';
import type { SentenceTable } from './coded-message.ts';

/** Reasons of breaker states and transitions. */
export interface BreakerReasonParams {
  breaker_open: {
    /** `kimi` for the account, `kimi/kimi-k3` for a model. */
    readonly key: string;
    /**
     * Too many failures in the window or in a row; a failed probe; or one failure of a class that
     * opens it at once.
     */
    readonly how: 'window' | 'row' | 'probe' | 'at_once';
    /** Most frequent first; the one that opened it if `how` is `probe` or `at_once`. */
    readonly classes: readonly ErrorClass[];
    /** Failures in the window, or in a row if `how` is `row`. */
    readonly failures: number;
    readonly calls: number;
    readonly windowMs: number;
    readonly state: 'resting' | 'probing' | 'probe_next';
    /** Time until the next probe; 0 if the next request is one. */
    readonly retryInMs: number;
  };
  breaker_changed: { readonly key: string; readonly to: 'closed' | 'half_open' | 'forgotten' };
}

const MAX_KEY_CHARS = 120;

const AT_ONCE: { readonly [name in ErrorClass]?: string } = {
  auth: ': its key was refused',
  billing: ': it requires payment',
  quota: ': the allowance of the account is used up',
  rate_limit: ' asked to slow down',
  not_found: ': the provider no longer has this model',
};

export const BREAKER_REASON_SENTENCES: SentenceTable<BreakerReasonParams> = {
  breaker_open: (params) =>
    `${oneLine(params.key, MAX_KEY_CHARS)}${trouble(params)} (${params.classes.join(', ')}); ${nextTry(params)}`,
  breaker_changed: ({ key, to }) => {
    const name = oneLine(key, MAX_KEY_CHARS);
    if (to === 'closed') return `${name} answers again`;
    if (to === 'half_open') return `${name} is tried again after its cool-down`;
    return `${name} was not asked for long, and its breaker was dropped for others`;
  },
};

type Opened = BreakerReasonParams['breaker_open'];

function trouble({ how, classes: [first], failures, calls, windowMs }: Opened): string {
  switch (how) {
    case 'row':
      return ` failed ${failures} times in a row`;
    case 'probe':
      return ' failed again when it was tried';
    case 'at_once':
      return (first && AT_ONCE[first]) ?? ' failed';
    case 'window': {
      const span = windowMs === 60_000 ? 'a minute' : duration(windowMs);
      return ` failed ${failures} of ${calls} requests within ${span}`;
    }
  }
}

function nextTry({ state, retryInMs }: Opened): string {
  if (state === 'probe_next') return 'the next request tries it again';
  return state === 'resting' ? `next try in ${duration(retryInMs)}` : 'it is being tried again now';
}

function duration(ms: number): string {
  return ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`;
}
