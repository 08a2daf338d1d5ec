import type { ErrorClass } from '../error-class.ts';
import { oneLine } from '../one-line.ts';
import type { SentenceTable } from './coded.ts';

/** Why a circuit breaker is not closed, and that it changed. */
export interface BreakerReasonParams {
  breaker_open: {
    /** `kimi` for the account, `kimi/kimi-k3` for a model. */
    readonly key: string;
    /**
     * Too many of the window failed, or too many in a row; it failed when tried again; one failure
     * of its class is enough.
     */
    readonly how: 'window' | 'row' | 'probe' | 'at_once';
    /** The most frequent first; the one that opened it where `how` is `probe` or `at_once`. */
    readonly classes: readonly ErrorClass[];
    /** Of the window; where `how` is `row`, the failures in a row. */
    readonly failures: number;
    readonly calls: number;
    readonly windowMs: number;
    readonly state: 'resting' | 'probing' | 'probe_next';
    /** Until the next try; 0 where the next request is one. */
    readonly retryInMs: number;
  };
  breaker_changed: { readonly key: string; readonly to: 'closed' | 'half_open' | 'forgotten' };
}

const MAX_KEY_CHARS = 120;

const AT_ONCE: { readonly [name in ErrorClass]?: string } = {
  auth: ': its key was refused',
  billing: ': it wants payment',
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
    if (to === 'half_open') return `${name} has rested and is tried again`;
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
