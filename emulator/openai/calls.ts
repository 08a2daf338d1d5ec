import {
  CALL_FAULTS,
  callFaultOf,
  spoilCalls,
  toCallDeltas,
  toCallList,
  type CallFault,
  type MadeCall,
} from '../call-faults.ts';
import type { Dictionary } from '../is-object.ts';
import type { Fault } from '../vendor.ts';
import type { BudgetedAnswer } from './budgeted-answer.ts';

export const CALL_FAULT_IDS: readonly string[] = CALL_FAULTS.map((kind) => `F8.${kind}`);

/** How a server writes its calls. */
export interface CallShape {
  readonly id: (index: number) => string;
  /** Of whole messages; in a stream every server shows it. */
  readonly index: 'shown' | 'absent';
  readonly arguments: 'string' | 'object';
}

/** What a fault of calls does to the answer around them. */
export function breakCalls(said: BudgetedAnswer, fault: Fault | undefined): BudgetedAnswer {
  const kind = callFaultOf(fault?.id);
  if (said.calls.length === 0 || kind === undefined) return said;
  if (kind === 'stopfinish') return { ...said, finish: 'stop' };
  if (kind !== 'text') return said;
  const text = said.calls
    .map((call) => `<tool_call>${call.name}\n${call.arguments}\n</tool_call>`)
    .join('\n');
  return { ...said, text, calls: [], finish: 'stop' };
}

export function wholeCalls(
  said: BudgetedAnswer,
  shape: CallShape,
  fault: Fault | undefined,
): readonly Dictionary[] {
  const kind = callFaultOf(fault?.id);
  const calls = toCallList(
    made(said, shape, kind),
    kind ?? (shape.arguments === 'object' ? 'object' : undefined),
  );
  if (shape.index === 'absent' || kind === 'noindex') return calls as Dictionary[];
  return calls.map((call, index) => ({ ...call, index }));
}

/** The same as deltas, each of them what one chunk has in `tool_calls`. */
export function callDeltas(
  said: BudgetedAnswer,
  shape: CallShape,
  fault: Fault | undefined,
  delivery: 'whole' | 'pieces',
): readonly (readonly object[])[] {
  const kind = callFaultOf(fault?.id);
  if (delivery === 'pieces' || kind === 'interleaved')
    return toCallDeltas(
      made(said, shape, kind),
      kind ?? (shape.arguments === 'object' ? 'object' : undefined),
    );
  return wholeCalls(said, { ...shape, index: 'shown' }, fault).map((call) => [call]);
}

const made = (
  said: BudgetedAnswer,
  shape: CallShape,
  kind: CallFault | undefined,
): readonly MadeCall[] =>
  spoilCalls(
    said.calls.map((call, index) => ({ ...call, id: shape.id(index), type: 'function' })),
    kind,
  );
