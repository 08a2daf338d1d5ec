import type { JsonObject } from '#core/json/json.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { FollowUpRequest } from '#core/llm/provider.ts';
import type { ChatStep } from '../chat-plan.ts';

/** Vendors name the limit of the output differently. */
const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;

/**
 * The step with what is left of the limit of the request; undefined when nothing is left. All steps
 * of a chat share one limit.
 */
export function withinLimit(
  step: ChatStep,
  maxOutputTokens: number | undefined,
  used: TokenUsage | undefined,
): ChatStep | undefined {
  if (maxOutputTokens === undefined || !used) return step;
  const left = maxOutputTokens - used.output;
  if (left < 1) return undefined;
  const limits: Record<string, number> = {};
  for (const field of LIMIT_FIELDS) {
    const sent = limitIn(step.body, field);
    if (sent !== undefined && sent > left) limits[field] = left;
  }
  return { ...step, body: { ...step.body, ...limits } };
}

/** For the instruction that goes with a correction. */
const INSTRUCTION_TOKENS = 100;

/** What a further step may take: it has the prompt and the answer before it. */
export function followUpOf(step: ChatStep, used: TokenUsage, last: TokenUsage): FollowUpRequest {
  const [limit] = LIMIT_FIELDS.flatMap((field) => limitIn(step.body, field) ?? []);
  const { addedTokens = 0 } = step;
  return {
    used,
    inputTokens: last.input + last.output + addedTokens + INSTRUCTION_TOKENS,
    ...(limit !== undefined && { maxOutputTokens: limit }),
  };
}

function limitIn(body: JsonObject, field: string): number | undefined {
  const limit = body[field];
  return typeof limit === 'number' ? limit : undefined;
}
