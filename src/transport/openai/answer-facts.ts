import type { Envelope } from '#core/envelope.schema.ts';
import type { FinishReason } from '#core/chat.ts';
import type { GatewayChoice } from '#core/gateway.ts';
import { isDeeper, MAX_DEPTH } from './field.ts';
import type { CallStyle } from './read-tools.ts';

/** The id of an answer, by which its request is found in the log, too. */
export function answerId(reqId: string): string {
  return `chatcmpl-${reqId.slice(reqId.indexOf('_') + 1)}`;
}

export function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}

/** What EX-AI says of an answer beside it. What is undefined is not written. */
export function exaiFacts(reqId: string, { provider, model, route, usage }: Envelope) {
  return {
    req_id: reqId,
    provider,
    model,
    attempts: route?.attempts.map((made) => ({
      attempt: made.attempt,
      provider: made.provider,
      model: made.model,
      outcome: made.outcome,
      elapsed_ms: made.elapsed_ms,
    })),
    because: route?.because,
    notices: route?.notices,
    seams: route?.seams,
    cost_usd: usage?.cost_usd,
  };
}

/** Always there, as clients add these up unasked. */
export function usageFacts({ usage }: Envelope) {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage ?? {};
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

export function finishWord(finish: FinishReason, style: CallStyle): string {
  return finish === 'tool_calls' && style === 'functions' ? 'function_call' : finish;
}

/** For the client to hand back. Nothing where there is nothing that it could. */
export function detailsOf({
  reasoningDetails: details,
}: GatewayChoice): GatewayChoice['reasoningDetails'] | undefined {
  return details.length === 0 || isDeeper(details, MAX_DEPTH) ? undefined : details;
}
