import type { TokenUsage } from '#core/llm/chat.ts';
import { estimateSampled } from '#models/estimate-tokens.ts';
import { isReasoningOnly, type AnswerEnd } from './response/finish.ts';
import type { AssistantTurn } from './response/response-parser.ts';
import { addUsage } from './response/usage.ts';

/** Adds up the usage of the steps of a chat. */
export interface StepUsage {
  /** A step has ended. Its output counts as emitted, or is held until `acceptHeld`. */
  add(step: TokenUsage, content: 'emitted' | 'held'): void;
  /** The held output of the last step is emitted. */
  acceptHeld(): void;
  /** Of all steps; undefined when none has usage. */
  total(): TokenUsage | undefined;
  /** Of the last step alone. */
  last(): TokenUsage | undefined;
  /** The prompt of the first step and the emitted output; undefined if there was one step. */
  answer(): TokenUsage | undefined;
}

export function createStepUsage(): StepUsage {
  let steps = 0;
  let total: TokenUsage | undefined;
  let last: TokenUsage | undefined;
  let answer: TokenUsage | undefined;
  let held: TokenUsage | undefined;

  function acceptHeld(): void {
    if (!answer || !held) return;
    const { output, reasoning, estimated } = held;
    answer = {
      ...answer,
      output: answer.output + output,
      reasoning: answer.reasoning + reasoning,
      estimated: answer.estimated || estimated,
    };
    held = undefined;
  }

  return {
    add(step, content) {
      steps += 1;
      total = addUsage(total, step);
      last = step;
      const { input, cached, estimated } = answer ?? step;
      const { output, reasoning } = answer ?? NOTHING;
      answer = { input, cached, output, reasoning, estimated };
      held = step;
      if (content === 'emitted') acceptHeld();
    },
    acceptHeld,
    total: () => total,
    last: () => last,
    answer: () => (steps > 1 ? answer : undefined),
  };
}

const NOTHING = { output: 0, reasoning: 0 };

/**
 * The usage of one step, estimated where the vendor reports none; undefined when nothing was
 * generated.
 */
export function usageOfStep(
  sent: () => string,
  turn: AssistantTurn,
  end: AnswerEnd,
): TokenUsage | undefined {
  if (turn.usage) return turn.usage;
  if (end.is !== 'whole' && !isReasoningOnly(turn)) return undefined;
  const { text, reasoning, toolCalls } = turn;
  const calls = toolCalls.map((call) => `${call.name}${call.arguments}`).join('');
  const reasoningTokens = estimateSampled(reasoning);
  return {
    input: estimateSampled(sent()),
    output: estimateSampled(text + calls) + reasoningTokens,
    cached: 0,
    reasoning: reasoningTokens,
    estimated: true,
  };
}
