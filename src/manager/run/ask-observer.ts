import type { AskContext } from '#core/llm/ask.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { Attempt } from '#core/calls/envelope.schema.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { VendorRequestRecord } from '#core/llm/provider.ts';
import { internLabels } from '#core/telemetry/intern-labels.ts';
import { toUsd } from '#core/text/money.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import type { Model } from '#models/model.ts';
import type { ProviderCallResult } from './provider-call.ts';

export type InternalPurpose = 'intent' | 'summary';

export interface InternalAskFacts {
  readonly purpose: InternalPurpose;
  readonly provider: string;
  readonly model: string;
  readonly outcome: 'ok' | ErrorClass;
}

/** Logs and metrics of model calls. */
export interface AskObserver {
  attempted(by: AskContext, attempt: Attempt, call: ProviderCallResult): void;
  /** An internal ask, beside the answer itself. */
  asked(
    by: AskContext,
    facts: InternalAskFacts,
    elapsedMs: number,
    usage: TokenUsage | undefined,
  ): void;
  /** Documents that were uploaded or recognised for an attempt. */
  supplied(by: AskContext, facts: SupplyFacts): void;
  used(model: Model, usage: TokenUsage, costMicroUsd: number): void;
}

export interface SupplyFacts {
  readonly provider: string;
  readonly model: string;
  readonly elapsedMs: number;
  readonly exchanges: readonly VendorRequestRecord[];
}

export function createAskObserver(crumbs: Log, metrics: Metrics): AskObserver {
  const total = metrics.counter('exai_attempts_total', 'Requests to models, by outcome.');
  const hedges = metrics.counter(
    'exai_hedges_total',
    'Requests to models that were asked beside a silent one.',
  );
  const seconds = metrics.histogram('exai_attempt_seconds', 'Time a request to a model took.');
  const first = metrics.histogram('exai_first_token_seconds', 'Time to the first word of a model.');
  const tokens = metrics.counter('exai_tokens_total', 'Tokens, by model and kind.');
  const cost = metrics.counter('exai_cost_usd_total', 'What models cost, in dollars.');
  const ofModel = internLabels('provider', 'model');
  const ofOutcome = internLabels('provider', 'model', 'outcome');
  const ofKind = internLabels('provider', 'model', 'kind');
  return {
    attempted({ reqId, tool }, attempt, { outcome, elapsedMs, firstTokenMs, exchanges }) {
      const { provider, model } = attempt;
      const labels = ofModel(provider, model);
      total.add(ofOutcome(provider, model, attempt.outcome));
      if (attempt.hedge) hedges.add(labels);
      seconds.observe(elapsedMs / 1000, labels);
      if (firstTokenMs !== undefined) first.observe(firstTokenMs / 1000, labels);
      const last = exchanges.at(-1);
      const { usage } = outcome.answer;
      crumbs.info('attempt', {
        req_id: reqId,
        tool,
        attempt: attempt.attempt,
        provider,
        model,
        outcome: attempt.outcome,
        next: attempt.next,
        hedge: attempt.hedge,
        elapsed_ms: attempt.elapsed_ms,
        first_token_ms: firstTokenMs === undefined ? undefined : Math.round(firstTokenMs),
        because: attempt.because,
        status: last?.status,
        vendor_ids: last && hasAny(last.vendorIds) ? last.vendorIds : undefined,
        exchanges: exchanges.length > 1 ? exchanges.length : undefined,
        input_tokens: usage?.input,
        output_tokens: usage?.output,
      });
    },
    asked({ reqId, tool }, facts, elapsedMs, usage) {
      crumbs.info('internal_ask', {
        req_id: reqId,
        tool,
        ...facts,
        elapsed_ms: Math.round(elapsedMs),
        ...(usage && { input_tokens: usage.input, output_tokens: usage.output }),
      });
    },
    supplied({ reqId, tool }, { provider, model, elapsedMs, exchanges }) {
      crumbs.info('file_supply', {
        req_id: reqId,
        tool,
        provider,
        model,
        elapsed_ms: Math.round(elapsedMs),
        requests: exchanges.map(({ operation, outcome }) => `${operation} ${outcome}`),
      });
    },
    used({ provider, id: model }, { input, output, cached, reasoning }, costMicroUsd) {
      tokens.add(ofKind(provider, model, 'input'), input);
      tokens.add(ofKind(provider, model, 'output'), output);
      tokens.add(ofKind(provider, model, 'cached'), cached);
      tokens.add(ofKind(provider, model, 'reasoning'), reasoning);
      cost.add(ofModel(provider, model), toUsd(costMicroUsd));
    },
  };
}

function hasAny(record: object): boolean {
  for (const _ in record) return true;
  return false;
}
