import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Thread, ThreadChange } from '#core/threads.ts';
import { withAbsolutePaths } from './step-paths.ts';
import { SEVERITIES } from './findings.ts';
import type { WorkflowState } from './state.ts';
import type { TakenStep } from './step-content.ts';

/** What a thread stores of a workflow. */
export interface StoredWorkflow {
  readonly state: WorkflowState;
  /**
   * Numbers of the turns of its steps, including those dropped by backtracking; the expert gets
   * them as findings.
   */
  readonly turns: readonly number[];
}

const texts = z.array(z.string());

const StoredShape = z.object({
  version: z.literal(2),
  said: z.array(z.int().min(1)),
  totalSteps: z.int().min(1),
  isOver: z.boolean(),
  steps: z.array(
    z.object({
      number: z.int().min(1),
      step: z.string(),
      findings: z.string(),
      confidence: z.string().exactOptional(),
      hypothesis: z.string().exactOptional(),
      filesChecked: texts,
      relevantFiles: texts,
      relevantContext: texts,
      root: z.string().exactOptional(),
      fields: z.record(z.string(), z.json()).exactOptional(),
      of: z.string().exactOptional(),
      issues: z.array(
        z.object({
          severity: z.enum(SEVERITIES),
          description: z.string(),
          file: z.string().exactOptional(),
          line: z.number().exactOptional(),
          fix: z.string().exactOptional(),
        }),
      ),
    }),
  ),
});

export function encodeWorkflow({ state, turns: said }: StoredWorkflow): Json {
  const stored: z.input<typeof StoredShape> = {
    version: 2,
    said: [...said],
    totalSteps: state.totalSteps,
    isOver: state.isOver,
    // Only the known members of each step, in a fixed order.
    steps: StoredShape.shape.steps.parse(state.steps),
  };
  return stored as Json;
}

/** Undefined if nothing valid is stored; then the caller has to begin again. */
export function decodeWorkflow(value: Json): StoredWorkflow | undefined {
  const { success, data } = StoredShape.safeParse(value);
  if (!success) return undefined;
  const { steps, totalSteps, isOver, said } = data;
  if (steps.some(({ number }, index) => number !== index + 1)) return undefined;
  return { state: { steps, totalSteps, isOver }, turns: said };
}

/** A step with its thread. */
export interface OpenStep {
  readonly taken: TakenStep;
  readonly thread: Thread;
  /** Numbers of the turns of earlier steps. */
  readonly earlierTurns: readonly number[];
  /** Number of the turn that this step becomes. */
  readonly turn: number;
}

/** Saves the step as a turn, with the reply if the call ends here. */
export async function saveStep(
  step: OpenStep,
  state: TakenStep['state'],
  reply: string | undefined,
): Promise<Continuation> {
  const { thread, taken, earlierTurns: said, turn } = step;
  const { definition, args } = taken;
  const { name: tool } = definition;
  const own = state.steps.at(-1);
  const files = own ? withAbsolutePaths(own).relevantFiles : [];
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
    const value = encodeWorkflow({ state, turns: [...said, ...numbers] });
    return await thread.append(turns, { state: { tool, value } }, { ifUnchanged: true });
  } catch (thrown) {
    throw isConflict(thrown) ? goneOn(args.step_number, thrown) : thrown;
  }
}

export interface SavedAnswer {
  readonly continuation?: Continuation;
  readonly notices: readonly Notice[];
}

/**
 * Saves the expert's answer as a turn. It is paid for, so a failure to save becomes a notice. If
 * another call changed the thread meanwhile, the answer is still added and the other call's state
 * stays. `open`: the expert needs more, so its question stays in the history beside its answer.
 */
export async function saveExpertAnswer(
  { thread, taken, earlierTurns: said, turn: own }: OpenStep,
  turn: NewTurn,
  lock: ThreadChange,
  end: 'over' | 'open',
): Promise<SavedAnswer> {
  const stored: StoredWorkflow =
    end === 'open'
      ? { state: taken.state, turns: said }
      : { state: { ...taken.state, isOver: true }, turns: [...said, own] };
  const state = { tool: taken.definition.name, value: encodeWorkflow(stored) };
  try {
    return { continuation: await keep({ ...lock, state }), notices: [] };
  } catch (thrown) {
    const error = CallError.from(thrown);
    return {
      // The step is still saved, unless the thread was deleted.
      ...(error.class !== 'not_found' && { continuation: thread.continuation() }),
      notices: [notice('expert_answer_not_kept', { error: errorText(error) })],
    };
  }

  async function keep(change: ThreadChange): Promise<Continuation> {
    try {
      return await thread.append([turn], change, { ifUnchanged: true });
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown;
      return thread.append([turn], lock);
    }
  }
}

function isConflict(thrown: unknown): boolean {
  return thrown instanceof CallError && thrown.class === 'conflict';
}

function goneOn(number: number, cause: unknown): CallError {
  return new CallError(
    'conflict',
    `Another call updated this conversation while step ${number} was in progress; nothing of this step was stored.`,
    {
      field: 'continuation_id',
      fix: 'See what the other call did, then give the step that is next.',
      cause,
    },
  );
}
