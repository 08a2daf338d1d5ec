import type { Dictionary } from '../is-object.ts';
import { toPieces } from '../tokens.ts';
import { callDeltas, type CallShape } from './calls.ts';
import type { Fault } from '../vendor.ts';
import type { BudgetedAnswer } from './budgeted-answer.ts';

/** How a server streams. */
export interface StreamStyle {
  /** What the first chunk has before anything is said; none begins with what is said. */
  readonly opening?: Dictionary;
  /** Put into every delta: some repeat the role each time. */
  readonly always: Dictionary;
  readonly reasoning: (piece: string) => Dictionary;
  readonly calls: 'whole' | 'pieces';
  readonly shape: CallShape;
  /** The delta of the chunk that says why it ended. */
  readonly closing: Dictionary;
  readonly fault: Fault | undefined;
}

export interface Step {
  readonly delta: Dictionary;
  readonly finish: string | null;
}

/** An answer in its order: thoughts, text, calls, the end. */
export function* stepsOf(said: BudgetedAnswer, style: StreamStyle): Generator<Step> {
  const step = (delta: Dictionary): Step => ({
    delta: { ...style.always, ...delta },
    finish: null,
  });
  if (style.opening !== undefined) yield step(style.opening);
  for (const piece of toPieces(said.reasoning)) yield step(style.reasoning(piece));
  for (const piece of toPieces(said.text)) yield step({ content: piece });
  for (const tool_calls of callDeltas(said, style.shape, style.fault, style.calls))
    yield step({ tool_calls });
  yield { delta: { ...style.always, ...style.closing }, finish: said.finish };
}
