import { CallError } from '#core/call-error.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Thread, ThreadChange } from '#core/threads.ts';
import { placedStep } from './file-names.ts';
import { writeKept, type KeptWorkflow } from './kept-workflow.ts';
import type { TakenStep } from './step-answer.ts';

/** A step in the thread that it belongs to. */
export interface OpenStep {
  readonly taken: TakenStep;
  readonly thread: Thread;
  /** Numbers of the turns that earlier steps are. */
  readonly said: readonly number[];
  /** The number that its own turn gets. */
  readonly turn: number;
}

/** The caller's words as a turn, with those that end it where it ends here. */
export async function keepStep(
  step: OpenStep,
  state: TakenStep['state'],
  reply: string | undefined,
): Promise<Continuation> {
  const { thread, taken, said, turn } = step;
  const { definition, args } = taken;
  const { name: tool } = definition;
  const own = state.steps.at(-1);
  const files = own ? placedStep(own).relevantFiles : [];
  const asked: NewTurn = {
    role: 'user',
    tool,
    content: /\S/.test(args.findings) ? `${args.step}\n\nFindings: ${args.findings}` : args.step,
    ...(files.length > 0 && { files }),
  };
  const turns: NewTurn[] =
    reply === undefined ? [asked] : [asked, { role: 'assistant', tool, content: reply }];
  const numbers = turns.map((_, index) => turn + index);
  try {
    const value = writeKept({ state, said: [...said, ...numbers] });
    return await thread.keep(turns, { state: { tool, value } }, 'unchanged');
  } catch (thrown) {
    throw isConflict(thrown) ? goneOn(args.step_number, thrown) : thrown;
  }
}

export interface KeptAnswer {
  readonly continuation?: Continuation;
  readonly notices: readonly Notice[];
}

/**
 * What the expert answered, as a turn of its own; it is paid for, so what cannot be kept is told and no reason to fail. If somebody went on meanwhile it is kept all the same, and the state is theirs.
 * `open`: the expert wants more, and then what it was asked stays in the history beside what it said.
 */
export async function keepAnswer(
  { thread, taken, said, turn: own }: OpenStep,
  turn: NewTurn,
  lock: ThreadChange,
  end: 'over' | 'open',
): Promise<KeptAnswer> {
  const kept: KeptWorkflow =
    end === 'open'
      ? { state: taken.state, said }
      : { state: { ...taken.state, isOver: true }, said: [...said, own] };
  const state = { tool: taken.definition.name, value: writeKept(kept) };
  try {
    return { continuation: await keep({ ...lock, state }), notices: [] };
  } catch (thrown) {
    const error = CallError.from(thrown);
    return {
      // The step is there still, unless all of it was deleted.
      ...(error.class !== 'not_found' && { continuation: thread.continuation() }),
      notices: [notice('expert_answer_not_kept', { error: errorText(error) })],
    };
  }

  async function keep(change: ThreadChange): Promise<Continuation> {
    try {
      return await thread.keep([turn], change, 'unchanged');
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown;
      return thread.keep([turn], lock);
    }
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
