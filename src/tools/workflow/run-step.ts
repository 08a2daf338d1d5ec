import { CallError } from '#core/call-error.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Asking } from '#core/question.ts';
import type { Threads } from '#core/threads.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import type { Reader, ReadTexts, Workspace } from '#core/workspace.ts';
import { cut } from '../asking/cut.ts';
import { continuationOf } from '../asking/fields.ts';
import { isPlaced, stillMeant } from '../asking/place.ts';
import { rootsOf } from '../asking/roots-of.ts';
import { consolidate } from './consolidate.ts';
import { afterReading, decide, type Decision } from './decide.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import { endAnswer } from './end-answer.ts';
import { readExpertFiles } from './expert-files.ts';
import { nameSeenFrom } from './file-names.ts';
import { judgeStep } from './judge-step.ts';
import { keepStep, type OpenStep } from './keep-step.ts';
import { readKept, type KeptWorkflow } from './kept-workflow.ts';
import { withLasting } from './lasting-fields.ts';
import { pauseAnswer, tellHold, tellPause } from './pause-answer.ts';
import { advance, type WorkflowState } from './state.ts';
import { changedSubject, sameSubject } from './subject.ts';
import { toGivenStep, type WorkflowArgs } from './step-fields.ts';

export interface WorkflowDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly workspace: Workspace;
  readonly locale: string;
}

/** One step of a workflow. Nothing is kept of a step that is refused; a step that is not is kept before anybody is asked. */
export async function runStep(
  definition: WorkflowDefinition,
  given: WorkflowArgs,
  deps: WorkflowDeps,
  context: ToolContext,
): Promise<ToolAnswer | Asking> {
  const { principal } = context.caller;
  const thread = await deps.threads.open({ principal, id: threadId(given), about: given.step });
  const before = readKept(thread.stateOf(definition.name));
  const found = rootsOf(context);
  const roots = 'asks' in found ? [] : found.roots;
  const planned = plan(definition, given, before, roots);
  const { args } = planned;
  // Found out before anything is kept, as the tool is run again after a question.
  if ('asks' in found && needsRoots(definition, planned)) return found;

  const { signal, deadline } = context;
  const reader = { roots, signal, deadline };
  const gathered = mayGather(planned)
    ? sameSubject(definition, planned.state, await gather(definition, args, deps, reader))
    : NOTHING;
  const state = readFrom(planned.state, gathered);
  const decision = afterReading(planned.decision, gathered);
  const notices = [
    ...changedSubject(definition, state),
    ...gathered.notices,
    ...unseenImages(args, decision),
  ];
  const taken = { definition, args, state, roots, gathered, notices };
  const said = beginsAnew(args, before) ? [] : (before?.said ?? []);
  const step: OpenStep = { taken, thread, said, turn: thread.turns + 1 };
  signal.throwIfAborted();
  return decision.is === 'expert'
    ? judgeStep(step, decision.early, deps.locale, context, () => readFiles(planned, deps, reader))
    : finish(step, decision);
}

const NOTHING: Gathered = { texts: [], facts: {}, notices: [] };

interface PlannedStep {
  /** With what earlier steps said in their place. */
  readonly args: WorkflowArgs;
  readonly state: WorkflowState;
  readonly decision: Decision;
  /** Files that the expert reads. */
  readonly paths: readonly string[];
}

function plan(
  definition: WorkflowDefinition,
  given: WorkflowArgs,
  before: KeptWorkflow | undefined,
  roots: readonly string[],
): PlannedStep {
  const state = advance(before?.state, toGivenStep(definition, given, roots));
  const args = withLasting(definition, given, state.steps);
  const decision = decide(definition, args, state);
  const paths = decision.is === 'expert' ? consolidate(state).relevantFiles : [];
  return { args, state, decision, paths };
}

function mayGather({ args, decision }: PlannedStep): boolean {
  return decision.is === 'expert' || args.step_number === 1;
}

/** Whether a file has to be read, or one is named that only a root tells from others. */
function needsRoots(definition: WorkflowDefinition, planned: PlannedStep): boolean {
  const { args, paths } = planned;
  const { files_checked: checked = [], relevant_files: relevant = [] } = args;
  const folder = definition.subject && args[definition.subject.folder];
  const named = [...checked, ...relevant, ...(typeof folder === 'string' ? [folder] : [])];
  return (
    paths.length > 0 ||
    (definition.gather !== undefined && mayGather(planned)) ||
    named.some((path) => !isPlaced(path))
  );
}

/** The first step says what the others are about. */
function readFrom(state: WorkflowState, { of }: Gathered): WorkflowState {
  const [first, ...later] = state.steps;
  if (!first || later.length > 0 || of === undefined) return state;
  return { ...state, steps: [{ ...first, of }] };
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

/** At the first step what cannot be read is an error: nothing has been done yet that could be lost. */
async function gather(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  { workspace }: WorkflowDeps,
  by: Reader,
): Promise<Gathered> {
  try {
    return (await definition.gather?.(args, workspace, by)) ?? NOTHING;
  } catch (thrown) {
    if (args.step_number === 1 || by.signal.aborted) throw thrown;
    const error = errorText(CallError.from(thrown));
    return { ...NOTHING, notices: [notice('not_read_again', { error })] };
  }
}

/** A thread keeps no pictures. */
function unseenImages({ images = [] }: WorkflowArgs, decision: Decision): readonly Notice[] {
  return images.length === 0 || decision.is === 'expert' ? [] : [notice('images_not_seen', {})];
}

async function readFiles(
  { state, paths }: PlannedStep,
  { workspace }: WorkflowDeps,
  by: Reader,
): Promise<ReadTexts> {
  const seen = nameSeenFrom(state, by.roots);
  const meant = stillMeant(paths, by.roots);
  const { texts, notices } = await readExpertFiles(meant.paths, workspace, by);
  return {
    texts: texts.map((text) => ({ ...text, name: seen(text.name) })),
    notices: [...meant.notices, ...notices],
  };
}

/** Of what a caller was told to do: later questions in the conversation carry it along. */
const MAX_KEPT_CHARS = 4_000;

/** A step that ends without anybody being asked. */
async function finish(
  step: OpenStep,
  decision: Exclude<Decision, { is: 'expert' }>,
): Promise<ToolAnswer> {
  const { taken } = step;
  const { state } = taken;
  if (decision.is === 'end') {
    const answer = endAnswer(taken, decision);
    const continuation = await keepStep(step, { ...state, isOver: true }, answer.text);
    return { ...answer, continuation };
  }
  const telling = decision.is === 'hold' ? tellHold(taken, decision.hold) : tellPause(taken);
  const continuation = await keepStep(step, state, cut(telling.text, MAX_KEPT_CHARS));
  return pauseAnswer(taken, telling, continuation);
}
