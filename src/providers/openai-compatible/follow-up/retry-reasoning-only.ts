import type { JsonObject } from '#core/json/json.ts';
import { notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import { isReasoningOnly } from '../response/finish.ts';
import type { StepResult, ChatStep } from '../chat-plan.ts';

/**
 * Retries after an answer of reasoning only, with less thinking. `less` has the fields that turn
 * thinking off or down; without them the model cannot think less, and is not asked again.
 */
export function retryReasoningOnly(
  { hasRetriedReasoning, body, turn, end, hasContent }: StepResult,
  model: Model,
  less: JsonObject | undefined,
): ChatStep | undefined {
  if (!less || hasRetriedReasoning || hasContent) return undefined;
  if (end.is !== 'failed' || !isReasoningOnly(turn)) return undefined;
  const again = notice('asked_again', { model: model.title, reason: 'only_thinking' });
  return { body: { ...body, ...less }, notices: [again], isReasoningRetry: true };
}
