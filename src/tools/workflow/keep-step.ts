import { CallError } from '#core/call-error.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Thread, ThreadChange } from '#core/threads.ts';
import { writeKept, type KeptWorkflow } from './kept-workflow.ts';
import type { TakenStep } from './step-answer.ts';

/** A step in the thread that it belongs to. */
export interface OpenStep {
  readonly taken: TakenStep;
  readonly thread: Thread;
  /** Places of earlier steps in the history. */
  readonly said: readonly number[];
}

/** The caller's words as a turn, with those that end it where it ends here. */
export async function keepStep(
  step: OpenStep,
  state: TakenStep['state'],
  reply: string | undefined,
): Promise<Continuation> {
  const { thread, taken, said } = step;
  const { definition, args } = taken;
  const { name: tool } = definition;
  const { relevant_files: files = [] } = args;
  const asked: NewTurn = {
    role: 'user',
    tool,
    content: /\S/.test(args.findings) ? `${args.step}\n\nFindings: ${args.findings}` : args.step,
    ...(files.length > 0 && { files }),
  };
  const turns: NewTurn[] =
    reply === undefined ? [asked] : [asked, { role: 'assistant', tool, content: reply }];
  const places = turns.map((_, index) => thread.history.length + index);
  try {
    const value = writeKept({ state, said: [...said, ...places] });
    return await thread.keep(turns, { state: { tool, value } }, 'unchanged');
  } catch (thrown) {
    throw isConflict(thrown) ? goneOn(args.step_number, thrown) : thrown;
  }
}

/**
 * What the expert answered, as a turn of its own. If somebody went on meanwhile it is kept all the same, and the state is theirs.
 * `open`: the expert wants more, and then what it was asked stays in the history beside what it said.
 */
export async function keepAnswer(
  { thread, taken, said }: OpenStep,
  turn: NewTurn,
  lock: ThreadChange,
  is: 'over' | 'open',
): Promise<Continuation> {
  const kept: KeptWorkflow =
    is === 'open'
      ? { state: taken.state, said }
      : { state: { ...taken.state, isOver: true }, said: [...said, thread.history.length] };
  const state = { tool: taken.definition.name, value: writeKept(kept) };
  try {
    return await thread.keep([turn], { ...lock, state }, 'unchanged');
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown;
    return thread.keep([turn], lock);
  }
}

function isConflict(thrown: unknown): boolean {
  return thrown instanceof CallError && thrown.class === 'conflict';
}

function goneOn(number: number, cause: unknown): CallError {
  return new CallError(
    'conflict',
    `Another call went on with this conversation while step ${number} was on its way; nothing of this step was kept.`,
    {
      field: 'continuation_id',
      fix: 'See what the other call did, then give the step that is next.',
      cause,
    },
  );
}
