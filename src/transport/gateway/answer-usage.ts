import type { TokenUsage } from '#core/llm/chat.ts';
import type { GatewayChatAnswer } from '#core/llm/gateway.ts';

/** Tokens of an answer, as the vendors' APIs report them. */
export type AnswerUsage = Pick<TokenUsage, 'input' | 'output' | 'cached' | 'reasoning'>;

/**
 * The usage of an answer: its prompt once, and the output of all choices. What all attempts took is
 * in the `exai` member.
 */
export function answerUsage({ choices }: GatewayChatAnswer): AnswerUsage {
  const sum = { input: 0, output: 0, cached: 0, reasoning: 0 };
  for (const { usage } of choices) {
    if (!usage) continue;
    if (usage.input > sum.input) {
      sum.input = usage.input;
      sum.cached = usage.cached;
    }
    sum.output += usage.output;
    sum.reasoning += usage.reasoning;
  }
  return sum;
}
