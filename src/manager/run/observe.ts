import type { AskedBy } from '#core/ask.ts';
import type { TokenUsage } from '#core/chat.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { toUsd } from '#core/money.ts';
import type { Log, Metrics } from '#core/telemetry.ts';
import type { Model } from '#models/model.ts';
import type { Once } from './ask-once.ts';

export interface AttemptFacts {
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly outcome: 'ok' | ErrorClass;
  readonly because: string | undefined;
  readonly next: string | undefined;
}

export type SidePurpose = 'intent' | 'summary';

export interface SideFacts {
  readonly purpose: SidePurpose;
  readonly provider: string;
  readonly model: string;
  readonly outcome: 'ok' | ErrorClass;
}

/** Breadcrumbs and numbers of what was asked. */
export interface Observer {
  attempted(by: AskedBy, facts: AttemptFacts, once: Once): void;
  /** Beside the answer itself. */
  asked(by: AskedBy, facts: SideFacts, elapsedMs: number, usage: TokenUsage | undefined): void;
  used(model: Model, usage: TokenUsage, costMicroUsd: number): void;
}

export function createObserver(crumbs: Log, metrics: Metrics): Observer {
  const total = metrics.counter('exai_attempts_total', 'Requests to models, by outcome.');
  const seconds = metrics.histogram('exai_attempt_seconds', 'Time a request to a model took.');
  const first = metrics.histogram('exai_first_token_seconds', 'Time to the first word of a model.');
  const tokens = metrics.counter('exai_tokens_total', 'Tokens, by model and kind.');
  const cost = metrics.counter('exai_cost_usd_total', 'What models cost, in dollars.');
  return {
    attempted(
      { reqId, tool },
      { because, ...facts },
      { outcome, elapsedMs, firstTokenMs, exchanges },
    ) {
      const { provider, model } = facts;
      total.add({ provider, model, outcome: facts.outcome });
      seconds.observe(elapsedMs / 1000, { provider, model });
      if (firstTokenMs !== undefined) first.observe(firstTokenMs / 1000, { provider, model });
      const last = exchanges.at(-1);
      const { usage } = outcome.answer;
      crumbs.info('attempt', {
        req_id: reqId,
        tool,
        ...facts,
        elapsed_ms: Math.round(elapsedMs),
        ...(firstTokenMs !== undefined && { first_token_ms: Math.round(firstTokenMs) }),
        ...(because !== undefined && { because }),
        ...(last?.status !== undefined && { status: last.status }),
        ...(last && Object.keys(last.vendorIds).length > 0 && { vendor_ids: last.vendorIds }),
        ...(exchanges.length > 1 && { exchanges: exchanges.length }),
        ...(usage && { input_tokens: usage.input, output_tokens: usage.output }),
      });
    },
    asked({ reqId, tool }, facts, elapsedMs, usage) {
      crumbs.info('side_question', {
        req_id: reqId,
        tool,
        ...facts,
        elapsed_ms: Math.round(elapsedMs),
        ...(usage && { input_tokens: usage.input, output_tokens: usage.output }),
      });
    },
    used({ provider, id: model }, { input, output, cached, reasoning }, costMicroUsd) {
      tokens.add({ provider, model, kind: 'input' }, input);
      tokens.add({ provider, model, kind: 'output' }, output);
      tokens.add({ provider, model, kind: 'cached' }, cached);
      tokens.add({ provider, model, kind: 'reasoning' }, reasoning);
      cost.add({ provider, model }, toUsd(costMicroUsd));
    },
  };
}
