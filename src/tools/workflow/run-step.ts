import { CallError } from '#core/call-error.ts';
import type { Asking } from '#core/question.ts';
import type { Threads } from '#core/threads.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import type { Reader, ReadTexts, Workspace } from '#core/workspace.ts';
import { continuationOf } from '../asking/fields.ts';
import { rootsOf } from '../asking/roots-of.ts';
import { consolidate } from './consolidate.ts';
import { decide, type Decision } from './decide.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import { endAnswer } from './end-answer.ts';
import { readExpertFiles } from './expert-files.ts';
import { judgeStep } from './judge-step.ts';
import { keepStep, type OpenStep } from './keep-step.ts';
import { readKept, type KeptWorkflow } from './kept-workflow.ts';
import { holdAnswer, pauseAnswer } from './pause-answer.ts';
import { advance } from './state.ts';
import { toGivenStep, type WorkflowArgs } from './step-fields.ts';

export interface WorkflowDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly workspace: Workspace;
  readonly locale: string;
}

/** One step of a workflow. Nothing is kept of a step that is refused; a step that is not is kept before anybody is asked. */
export async function runStep(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  deps: WorkflowDeps,
  context: ToolContext,
): Promise<ToolAnswer | Asking> {
  const { principal } = context.caller;
  const thread = await deps.threads.open({ principal, id: threadId(args), about: args.step });
  const before = readKept(thread.stateOf(definition.name));
  const state = advance(before?.state, toGivenStep(args));
  const decision = decide(definition, args, state);

  const paths = decision.is === 'expert' ? consolidate(state).relevantFiles : [];
  const reader = readerFor(definition, args, decision, paths, context);
  if (reader && 'asks' in reader) return reader;
  const gathered = reader
    ? await gather(definition, args, deps, reader)
    : { texts: [], facts: {}, notices: [] };
  const notices = [...gathered.notices, ...unseenImages(args, decision)];
  const taken = { definition, args, state, gathered, notices };
  const said = beginsAnew(args, before) ? [] : (before?.said ?? []);
  const step: OpenStep = { taken, thread, said };
  context.signal.throwIfAborted();
  return decision.is === 'expert'
    ? judgeStep(step, decision.early, deps.locale, context, () => readFiles(paths, deps, reader))
    : finish(step, decision);
}

function threadId(args: WorkflowArgs): string | undefined {
  const id = continuationOf(args);
  if (id !== undefined || args.step_number === 1) return id;
  throw new CallError(
    'validation',
    `"continuation_id" is missing: step ${args.step_number} goes on with a workflow, and nobody knows which.`,
    {
      field: 'continuation_id',
      fix: 'Give the id that step 1 was answered with, or begin with step_number 1.',
    },
  );
}

/** What an earlier workflow said is history; what this one said before it went back is not. */
function beginsAnew(args: WorkflowArgs, before: KeptWorkflow | undefined): boolean {
  const isOver = before?.state.isOver ?? true;
  return args.step_number === 1 && (args.backtrack_from_step === undefined || isOver);
}

/** Nothing where no file has to be read. Found out before anything is kept, as the tool is run again after a question. */
function readerFor(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  decision: Decision,
  paths: readonly string[],
  context: ToolContext,
): Reader | Asking | undefined {
  const mayGather = decision.is === 'expert' || args.step_number === 1;
  const isNeeded = paths.length > 0 || (definition.gather !== undefined && mayGather);
  if (!isNeeded) return undefined;
  const found = rootsOf(context);
  if ('asks' in found) return found;
  const { signal, deadline } = context;
  return { roots: found.roots, signal, deadline };
}

/** At the first step what cannot be read is an error: nothing has been done yet that could be lost. */
async function gather(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  { workspace }: WorkflowDeps,
  by: Reader,
): Promise<Gathered> {
  const nothing = { texts: [], facts: {}, notices: [] };
  try {
    return (await definition.gather?.(args, workspace, by)) ?? nothing;
  } catch (thrown) {
    if (args.step_number === 1 || by.signal.aborted) throw thrown;
    const { message } = CallError.from(thrown);
    return { ...nothing, notices: [`Something could not be read again: ${message}`] };
  }
}

/** A thread keeps no pictures. */
function unseenImages({ images = [] }: WorkflowArgs, decision: Decision): readonly string[] {
  return images.length === 0 || decision.is === 'expert'
    ? []
    : ['Nobody has looked at the images: give them with the last step, for the expert.'];
}

async function readFiles(
  paths: readonly string[],
  { workspace }: WorkflowDeps,
  by: Reader | undefined,
): Promise<ReadTexts> {
  return by ? readExpertFiles(paths, workspace, by) : { texts: [], notices: [] };
}

/** A step that ends without anybody being asked. */
async function finish(
  step: OpenStep,
  decision: Exclude<Decision, { is: 'expert' }>,
): Promise<ToolAnswer> {
  const { taken } = step;
  const { args, state } = taken;
  if (decision.is === 'end') {
    const answer = endAnswer(taken, decision);
    const continuation = await keepStep(step, { ...state, isOver: true }, answer.text);
    return { ...answer, continuation };
  }
  const continuation = await keepStep(step, state, `Step ${args.step_number} is noted.`);
  return decision.is === 'hold'
    ? holdAnswer(taken, decision.hold, continuation)
    : pauseAnswer(taken, continuation);
}
