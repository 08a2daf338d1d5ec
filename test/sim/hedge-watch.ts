import type { AskContext, AskReport } from '#core/llm/ask.ts';
import { MAX_HEDGES } from '#manager/run/hedging.ts';
import type { AskingPlan } from './asking-plan.ts';
import type { RealAttempt } from './key-attempts.ts';
import type { Served } from './vendor-book.ts';

/** Marks those that another one was faster than; with what is told of them. */
export function markLost(
  { attempts }: AskReport,
  real: readonly RealAttempt[],
  { signal }: AskContext,
): ReadonlyMap<RealAttempt, string> {
  const lost = new Map<RealAttempt, string>();
  const left = attempts.some(({ hedge }) => hedge) ? [...attempts] : [];
  for (const each of real) {
    if (each.outcome !== 'cancelled') continue;
    const at = left.findIndex(
      ({ provider, model, outcome }) =>
        provider === each.provider &&
        model === each.model &&
        (outcome === 'timeout' || outcome === 'cancelled'),
    );
    const [told] = at === -1 ? [] : left.splice(at, 1);
    if (!told) continue;
    lost.set(each, told.outcome);
    // Requests with the keys before it were refused.
    const last = each.served.at(-1);
    if (last) last.isLost = signal.aborted ? 'perhaps' : true;
  }
  return lost;
}

export interface HedgeFacts {
  /** All that was asked for the same. */
  readonly all: readonly Served[];
  readonly hedge: AskingPlan['hedge'];
  readonly isWanted: boolean;
  readonly now: number;
  readonly wasFrozen: boolean;
  /** Whether at most one request of any ask waits for an answer of this vendor. */
  isAloneAt(provider: string): boolean;
}

/** Beside a silent one only another vendor is asked, and only where that is wanted. */
export function hedgeFault(served: Served, facts: HedgeFacts): string | undefined {
  if (served.kind !== 'answer') return undefined;
  const beside = facts.all.filter(
    (each) =>
      each !== served &&
      each.outcome === undefined &&
      each.kind === 'answer' &&
      // The keys of one attempt are asked one after the other.
      each.context !== served.context,
  );
  for (const other of beside) {
    const fault = faultBeside(served, other, facts);
    if (fault === undefined) continue;
    const who = `${served.provider}/${served.model} is asked beside ${other.provider}/${other.model}`;
    return `${who}, ${fault}`;
  }
  return beside.length > MAX_HEDGES ? `it is asked of ${beside.length + 1} at once` : undefined;
}

function faultBeside(served: Served, other: Served, facts: HedgeFacts): string | undefined {
  const { hedge, isWanted, now, wasFrozen } = facts;
  if (hedge.mode === 'off' || !isWanted) return 'although nobody wants that';
  if (other.provider === served.provider) return 'of the same vendor';
  if (other.hasSpoken) return 'which has begun to answer';
  // Requests that are silent together make up the least silence together.
  const leastMs = hedge.leastMs / (facts.isAloneAt(other.provider) ? 1 : 5);
  return now - other.startedAt < leastMs && !wasFrozen ? 'which has hardly begun' : undefined;
}
