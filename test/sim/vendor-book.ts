import type { TokenUsage } from '#core/llm/chat.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { ProviderContext, ProviderId } from '#core/llm/provider.ts';

/** A request as the vendor saw it. */
export interface Served {
  /** From 1, in the order in which they came. */
  readonly number: number;
  readonly provider: ProviderId;
  readonly model: string;
  /** The asking that it belongs to; absent when nothing in it tells. */
  readonly ask: string | undefined;
  /** `aside`: a side question of the daemon's own. */
  readonly kind: 'answer' | 'aside';
  /** What it may say at most. */
  readonly maxOutputTokens: number | undefined;
  /** That of the attempt: its keys share it. */
  readonly context: ProviderContext | undefined;
  /** The key that it was asked with, from 0. */
  readonly key: number;
  readonly startedAt: number;
  /** Absent while it runs. */
  outcome: 'ok' | ErrorClass | undefined;
  /** Whether its caller had ended it by then. */
  wasEnded: boolean;
  /** What is charged for it. */
  usage: TokenUsage | undefined;
  /** Whether a word of the answer, or a thought, was told. */
  hasSpoken: boolean;
  /**
   * Whether it was cancelled because another one answered first; `perhaps` if its caller left, too.
   */
  isLost: boolean | 'perhaps';
  /** Whether all that it said had been told before. */
  repeats: boolean;
  /** Whether nothing tells if its first characters repeat what had been told before. */
  isAmbiguous: boolean;
  /** Whether it has its place at the vendor. */
  isAdmitted: boolean;
  /** Whether the queue before it was full. */
  foundQueueFull: boolean;
}

type About = Pick<Served, 'provider' | 'model' | 'ask' | 'kind' | 'maxOutputTokens'> &
  Partial<Pick<Served, 'context' | 'key'>>;

/** What the vendors of one daemon were really asked. */
export interface VendorBook {
  begin(about: About): Served;
  /** The first word counts. */
  end(served: Served, outcome: 'ok' | ErrorClass): void;
  ofAsk(ask: string): readonly Served[];
  readonly running: ReadonlySet<Served>;
  /** Requests to a vendor without a word: those that run, and those that ended a short time ago. */
  silentAt(provider: string): number;
}

/** The daemon counts the silence of ended requests for as long. */
const SILENCE_KEPT_MS = 30_000;

export function createVendorBook(now: () => number): VendorBook {
  const running = new Set<Served>();
  let count = 0;
  const byAsk = new Map<string, Served[]>();
  let endedSilent: readonly { readonly provider: ProviderId; readonly at: number }[] = [];
  return {
    running,
    silentAt(provider) {
      endedSilent = endedSilent.filter(({ at }) => now() - at < SILENCE_KEPT_MS);
      const silent = [...running].filter(({ hasSpoken }) => !hasSpoken);
      return [...silent, ...endedSilent].filter((each) => each.provider === provider).length;
    },
    begin(about) {
      const served: Served = {
        context: undefined,
        key: 0,
        ...about,
        number: ++count,
        startedAt: now(),
        outcome: undefined,
        wasEnded: false,
        usage: undefined,
        hasSpoken: false,
        isLost: false,
        repeats: false,
        isAmbiguous: false,
        isAdmitted: false,
        foundQueueFull: false,
      };
      running.add(served);
      const known = byAsk.get(about.ask ?? '');
      if (known) known.push(served);
      else byAsk.set(about.ask ?? '', [served]);
      return served;
    },
    end(served, outcome) {
      if (served.outcome === undefined) served.wasEnded = served.context?.signal.aborted === true;
      if (served.outcome === undefined && !served.hasSpoken)
        endedSilent = [...endedSilent, { provider: served.provider, at: now() }];
      served.outcome ??= outcome;
      running.delete(served);
    },
    ofAsk: (ask) => byAsk.get(ask) ?? [],
  };
}
