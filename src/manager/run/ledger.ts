import type { AskedBy, AskReport } from '#core/ask.ts';
import type { CallError } from '#core/call-error.ts';
import type { TokenUsage } from '#core/chat.ts';
import type { Clock } from '#core/clock.ts';
import type { Attempt } from '#core/envelope.schema.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { oneLine } from '#core/one-line.ts';
import type { AttemptRecord, UsageRecord } from '#core/stores/calls.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import type { Once } from './ask-once.ts';
import type { Observer, SidePurpose } from './observe.ts';

/** What asking took, as it happens: the source of reports, records and breadcrumbs alike. */
export interface Ledger {
  /** Notes an attempt, and whom the fallback turns to. */
  attempted(entry: AttemptEntry): void;
  /** What an answer used, or a side question; gives what it cost. */
  used(model: Model, usage: TokenUsage): number;
  /** A breadcrumb of such a question; what it used is told by `used`. */
  asked(entry: SideEntry): void;
  readonly attempts: readonly Attempt[];
  totals(): Pick<AskReport, 'usage' | 'costMicroUsd' | 'costKnown'>;
  /** For the store. */
  records(): {
    readonly attempts: readonly AttemptRecord[];
    readonly usage: readonly UsageRecord[];
  };
}

export interface AttemptEntry {
  readonly model: Model;
  readonly once: Once;
  readonly error: CallError | undefined;
  readonly next: string | undefined;
}

export interface SideEntry {
  readonly purpose: SidePurpose;
  readonly model: Model;
  readonly once: Once;
  readonly usage: TokenUsage | undefined;
}

const MAX_BECAUSE_CHARS = 300;

export function createLedger(by: AskedBy, clock: Clock, observer: Observer): Ledger {
  const attempts: Attempt[] = [];
  const attemptRecords: AttemptRecord[] = [];
  const usageRecords: UsageRecord[] = [];
  let total: TokenUsage | undefined;
  let costMicroUsd = 0;
  let costKnown = true;

  function used(model: Model, told: TokenUsage): number {
    const usage = sound(told);
    const cost = costOf(model, usage);
    total = total ? sum(total, usage) : usage;
    costMicroUsd += cost.microUsd;
    costKnown &&= cost.known;
    const { input, output, cached, reasoning, estimated } = usage;
    usageRecords.push({
      reqId: by.reqId,
      at: clock.now(),
      principal: by.caller.principal,
      tool: by.tool,
      provider: model.provider,
      model: model.id,
      input,
      output,
      cached,
      reasoning,
      costMicroUsd: cost.microUsd,
      priced: cost.known,
      estimated,
    });
    observer.used(model, usage, cost.microUsd);
    return cost.microUsd;
  }

  return {
    attempts,
    used,
    asked({ purpose, model, once: { outcome, elapsedMs }, usage }) {
      const how: 'ok' | ErrorClass = outcome.is === 'answered' ? 'ok' : outcome.error.class;
      const facts = { purpose, provider: model.provider, model: model.id, outcome: how };
      observer.asked(by, facts, elapsedMs, usage);
    },
    attempted({ model, once, error, next }) {
      const number = by.nextAttempt();
      const outcome: 'ok' | ErrorClass = error ? error.class : 'ok';
      const elapsedMs = Math.round(once.elapsedMs);
      const attempt: Attempt = {
        attempt: number,
        provider: model.provider,
        model: model.id,
        outcome,
        elapsed_ms: elapsedMs,
      };
      if (error) attempt.because = oneLine(error.message, MAX_BECAUSE_CHARS);
      if (next !== undefined) attempt.next = next;
      attempts.push(attempt);
      attemptRecords.push({
        reqId: by.reqId,
        attempt: number,
        at: clock.now(),
        provider: model.provider,
        model: model.id,
        elapsedMs,
        outcome,
        next: next ?? null,
        vendorRequestId: vendorId(once),
      });
      observer.attempted(by, attempt, once);
    },
    totals: () => (total ? { usage: total, costMicroUsd, costKnown } : { costMicroUsd, costKnown }),
    records: () => ({ attempts: attemptRecords, usage: usageRecords }),
  };
}

/** What is no count is none. */
function sound(usage: TokenUsage): TokenUsage {
  const { input, output, cached, reasoning } = usage;
  if (isCount(input) && isCount(output) && isCount(cached) && isCount(reasoning)) return usage;
  return {
    ...usage,
    input: toCount(input),
    output: toCount(output),
    cached: toCount(cached),
    reasoning: toCount(reasoning),
  };
}

function isCount(tokens: number): boolean {
  return Number.isInteger(tokens) && tokens >= 0;
}

function toCount(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? Math.ceil(tokens) : 0;
}

function vendorId({ exchanges }: Once): string | null {
  const ids = exchanges.at(-1)?.vendorIds;
  for (const name in ids) return ids[name] ?? null;
  return null;
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    reasoning: a.reasoning + b.reasoning,
    estimated: a.estimated || b.estimated,
  };
}
