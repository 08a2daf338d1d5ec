import type { Attempt } from '#core/calls/envelope.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { AskContext, AskReport } from '#core/llm/ask.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { ChatAnswer } from '#core/llm/collect-chat.ts';
import type { AttemptRecord, CallStore, UsageRecord } from '#core/stores/calls.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';
import { estimateSampled } from '#models/estimate-tokens.ts';
import type { Model } from '#models/model.ts';
import { costOf } from '#models/price.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { AskObserver, InternalPurpose, SupplyFacts } from './ask-observer.ts';

/** The attempts and usage of one ask: the source of reports, records and logs. */
export interface Ledger {
  /** Records an attempt and the next candidate. */
  attempted(entry: AttemptEntry): void;
  /** Records the usage of an answer or an internal ask; returns its cost. */
  used(model: Model, usage: TokenUsage): number;
  /** Logs an internal ask; its usage is recorded by `used`. */
  asked(entry: InternalAskEntry): void;
  /** Logs the requests for the documents of an attempt. */
  supplied(facts: SupplyFacts): void;
  readonly attempts: readonly Attempt[];
  totals(): Pick<AskReport, 'usage' | 'costMicroUsd' | 'costKnown'>;
  /** For the store. */
  records(): {
    readonly attempts: readonly AttemptRecord[];
    readonly usage: readonly UsageRecord[];
  };
}

/** The place of an attempt among those that ran beside each other. */
export interface AttemptPlace {
  /** Given when it began; others may have ended before it. */
  readonly number: number;
  /** Whether it was asked beside a silent one. */
  readonly isHedge: boolean;
}

interface AttemptEntry {
  readonly model: Model;
  readonly call: ProviderCallResult;
  readonly error: CallError | undefined;
  readonly next: string | undefined;
  /** By default it is the last one, and ran alone. */
  readonly place?: AttemptPlace;
}

interface InternalAskEntry {
  readonly purpose: InternalPurpose;
  readonly model: Model;
  readonly call: ProviderCallResult;
  readonly usage: TokenUsage | undefined;
}

const MAX_BECAUSE_CHARS = 300;

export function createLedger(by: AskContext, clock: Clock, observer: AskObserver): Ledger {
  const attempts: Attempt[] = [];
  const attemptRecords: AttemptRecord[] = [];
  const usageRecords: UsageRecord[] = [];
  let total: TokenUsage | undefined;
  let costMicroUsd = 0;
  let costKnown = true;

  function used(model: Model, reported: TokenUsage): number {
    const usage = sound(reported);
    const cost = costOf(model, usage);
    const counted = cost.isEstimate ? { ...usage, estimated: true } : usage;
    total = total ? sum(total, counted) : counted;
    costMicroUsd += cost.microUsd;
    costKnown &&= cost.known;
    const { input, output, cached, reasoning, estimated } = usage;
    const { clientInfo: client } = by.caller;
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
      estimated: estimated || cost.isEstimate === true,
      ...(client && { client: client.name }),
      ...(client?.version !== undefined && { clientVersion: client.version }),
    });
    observer.used(model, usage, cost.microUsd);
    return cost.microUsd;
  }

  return {
    attempts,
    used,
    asked({ purpose, model, call: { outcome, elapsedMs }, usage }) {
      const how: 'ok' | ErrorClass = outcome.is === 'answered' ? 'ok' : outcome.error.class;
      const facts = { purpose, provider: model.provider, model: model.id, outcome: how };
      observer.asked(by, facts, elapsedMs, usage);
    },
    supplied: (facts) => observer.supplied(by, facts),
    attempted({ model, call, error, next, place }) {
      const number = place?.number ?? by.nextAttempt();
      const outcome: 'ok' | ErrorClass = error ? error.class : 'ok';
      const elapsedMs = Math.round(call.elapsedMs);
      const attempt: Attempt = {
        attempt: number,
        provider: model.provider,
        model: model.id,
        outcome,
        elapsed_ms: elapsedMs,
      };
      if (error) attempt.because = oneLine(error.message, MAX_BECAUSE_CHARS);
      if (next !== undefined) attempt.next = next;
      if (place?.isHedge) attempt.hedge = true;
      const before = place ? attempts.findLastIndex((each) => each.attempt < number) : Infinity;
      attempts.splice(before + 1, 0, attempt);
      attemptRecords.push({
        reqId: by.reqId,
        attempt: number,
        at: clock.now(),
        provider: model.provider,
        model: model.id,
        elapsedMs,
        outcome,
        next: next ?? null,
        vendorRequestId: vendorId(call),
      });
      observer.attempted(by, attempt, call);
    },
    totals: () => (total ? { usage: total, costMicroUsd, costKnown } : { costMicroUsd, costKnown }),
    records: () => ({ attempts: attemptRecords, usage: usageRecords }),
  };
}

/** Usage with invalid counts replaced by 0. */
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

function vendorId({ exchanges }: ProviderCallResult): string | null {
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

/**
 * Sends attempts and usage to the store before the answer is returned, without waiting: the record
 * of the call, which is awaited, is written after it. A failed write is logged and does not affect
 * the answer.
 */
export function recordUsage(
  ledger: Ledger,
  { reqId }: AskContext,
  { spend, log }: { readonly spend: CallStore['recordUsage']; readonly log: Log },
): void {
  const { attempts, usage } = ledger.records();
  if (attempts.length === 0 && usage.length === 0) return;
  spend(attempts, usage).catch((thrown: unknown) => {
    log.error('usage_not_stored', { req_id: reqId, error: CallError.from(thrown).toJSON() });
  });
}

/**
 * Estimates the usage of an answer without vendor figures; undefined when nothing was generated.
 */
export function estimateUsage(answer: ChatAnswer, promptTokens: number): TokenUsage | undefined {
  const { text, reasoning: thoughts, toolCalls } = answer;
  if (text === '' && thoughts === '' && toolCalls.length === 0) return undefined;
  const reasoning = estimateSampled(thoughts);
  const calls = toolCalls.map((call) => call.name + call.arguments).join(' ');
  const output = reasoning + estimateSampled(text) + estimateSampled(calls);
  return { input: promptTokens, output, cached: 0, reasoning, estimated: true };
}
