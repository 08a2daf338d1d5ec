import type { AskAnswer } from '#core/llm/ask.ts';
import type { LoopStep, LoopToolResult } from '#core/llm/tool-loop.ts';

/** The answer of this round in an earlier run. */
export function finishedAnswer(
  steps: readonly LoopStep[] = [],
  round: number,
): AskAnswer | undefined {
  const step = steps.find((each) => each.type === 'answer' && each.round === round);
  return step?.type === 'answer' ? step.answer : undefined;
}

/** Whether this call, which writes, was begun in an earlier run. */
export function hasBegun(steps: readonly LoopStep[] = [], round: number, index: number): boolean {
  return steps.some(
    (each) => each.type === 'begun' && each.round === round && each.index === index,
  );
}

/** The result of this call in an earlier run. */
export function finishedResult(
  steps: readonly LoopStep[] = [],
  round: number,
  index: number,
): LoopToolResult | undefined {
  const step = steps.find(
    (each) => each.type === 'result' && each.round === round && each.index === index,
  );
  return step?.type === 'result' ? step.result : undefined;
}
