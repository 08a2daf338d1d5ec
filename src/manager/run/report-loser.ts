import { codedError } from '#core/errors/coded-error.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import { reason } from '#core/messages/reasons.ts';
import type { PlannedModel } from '../route/plan.ts';
import { toBreakerFailure } from './breaker-failure.ts';
import type { AttemptPlace } from './ledger.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunContext } from './run-plan.ts';

/** An attempt that was cancelled because another one answered first. */
export interface LostAttempt {
  readonly call: ProviderCallResult;
  readonly prepared: PreparedAttempt;
  readonly other: PlannedModel;
  /** How long it was silent when the other one was asked; undefined for the later one. */
  readonly silentMs: number | undefined;
  readonly place: AttemptPlace | undefined;
  /** Whether its request was sent: it may have waited for a slot of its provider. */
  readonly wasSent: boolean;
}

/**
 * Counts a cancelled attempt: its vendor may charge for the prompt, whatever it had said. One that
 * was silent for much longer than usual counts for its breaker like one that timed out. Returns its
 * cost.
 */
export function reportLoser(
  { call, prepared, other, silentMs, place, wasSent }: LostAttempt,
  { ledger, by }: RunContext,
): number {
  const { candidateState, permit, fitted } = prepared;
  const { entry } = candidateState.candidate;
  const target = { provider: entry.provider, model: entry.id };
  const winner = { provider: other.provider, model: other.model };
  const wasSilent = silentMs !== undefined && wasSent;
  const error = codedError(
    wasSilent ? 'timeout' : 'cancelled',
    reason('other_answered_first', {
      ...winner,
      ...(wasSilent && { silentMs: Math.round(call.elapsedMs) }),
    }),
    target,
  );
  const { principal } = by.caller;
  // A prompt can make a model think for long, so a single client proves nothing.
  if (wasSilent) permit.failure(toBreakerFailure(error, { principal, time: 'short' }));
  else permit.cancel();
  const next = wasSilent ? `${winner.provider}/${winner.model}` : undefined;
  ledger.attempted({ model: entry, call, error, next, ...(place && { place }) });
  if (!wasSent) return 0;
  return ledger.used(entry, call.outcome.answer.usage ?? promptUsage(fitted.tokens));
}

/** The usage of a request that was cancelled before its first word. */
export function promptUsage(promptTokens: number): TokenUsage {
  return { input: promptTokens, output: 0, cached: 0, reasoning: 0, estimated: true };
}
