import type { JsonObject } from '#core/json/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { isReasoningOnly } from '../response/finish.ts';
import type { StepResult, ChatStep } from '../chat-plan.ts';

/** What to change after a model spent its whole output budget on reasoning. */
export interface ReasoningRetryOptions {
  /** The field that limits the output. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** Fields that turn thinking off or down; nothing when the model cannot. */
  readonly less: JsonObject | undefined;
}

const MORE_ROOM = 4;
const LEAST_ROOM = 4096;

/**
 * Retries after an answer of reasoning only: with less thinking, or with a higher limit where the
 * model cannot think less.
 */
export function retryReasoningOnly(
  { hasRetriedReasoning, body, turn, end, hasContent }: StepResult,
  model: Model,
  { limitField, less }: ReasoningRetryOptions,
): ChatStep | undefined {
  if (hasRetriedReasoning || hasContent || end.is !== 'failed' || !isReasoningOnly(turn))
    return undefined;
  if (less) {
    const again = notice('asked_again', { model: model.title, reason: 'only_thinking' });
    return { body: { ...body, ...less }, notices: [again], isReasoningRetry: true };
  }
  const limit = body[limitField];
  if (typeof limit !== 'number' || limit >= model.maxOutputTokens) return undefined;
  const wider = Math.min(Math.max(limit * MORE_ROOM, LEAST_ROOM), model.maxOutputTokens);
  const room = { limit, raisedTo: wider };
  const again = notice('asked_again', { model: model.title, reason: 'token_limit', ...room });
  return { body: { ...body, [limitField]: wider }, notices: [again], isReasoningRetry: true };
}
