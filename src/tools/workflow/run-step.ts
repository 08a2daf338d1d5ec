import { CallError } from '#core/errors/call-error.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { Threads } from '#core/threads.ts';
import type { ToolResult, ToolContext } from '#core/tools/tool.ts';
import type { FileIntake, LoadedFiles } from '#core/files/file-intake.ts';
import type { ReadableWorkspace, WorkspaceReader } from '#core/workspace.ts';
import { truncate } from './format.ts';
import { continuationOf } from '../shared/fields.ts';
import { isRootIndependent, dropAmbiguousPaths } from '../shared/attachment-paths.ts';
import { loadImages, toFileInputs } from '../shared/attachments.ts';
import { findClientRoots, ownership } from '../shared/client-roots.ts';
import { consolidate } from './consolidate.ts';
import { afterGathering, decideStep, type StepDecision } from './decide-step.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import { endAnswer, holdInstructions, pauseAnswer, pauseInstructions } from './step-answers.ts';
import { readExpertFiles } from './expert-files.ts';
import { displayNamesFrom } from './step-paths.ts';
import { judgeStep } from './expert-step.ts';
import {
  decodeWorkflow,
  saveStep,
  type OpenStep,
  type StoredWorkflow,
} from './workflow-storage.ts';
import { keepSubject, subjectChangeNotices, withStickyFields } from './sticky-fields.ts';
import { advanceWorkflow, type WorkflowState } from './state.ts';
import { toStepInput, type GivenArgs, type WorkflowArgs } from './step-fields.ts';

export interface WorkflowDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly workspace: ReadableWorkspace;
  readonly fileIntake: FileIntake;
  readonly locale: string;
}

/**
 * Runs one step of a workflow. A refused step saves nothing; an accepted one is saved before the
 * expert is asked.
 */
export async function runStep(
  definition: WorkflowDefinition,
  all: GivenArgs,
  deps: WorkflowDeps,
  context: ToolContext,
): Promise<ToolResult | InputRequired> {
  const stored = await storeContents(all, deps, context);
  if ('inputRequests' in stored) return stored;
  const given: WorkflowArgs = { ...all, ...stored };
  const { principal } = context.caller;
  const thread = await deps.threads.open({ principal, id: threadId(given), about: given.step });
  const before = decodeWorkflow(thread.stateOf(definition.name));
  const found = findClientRoots(context);
  const roots = 'inputRequests' in found ? [] : found.roots;
  const planned = plan(definition, given, before, roots);
  const { args } = planned;
  // Before anything is saved, because the tool runs again after an input request.
  if ('inputRequests' in found && needsRoots(definition, planned)) return found;

  const { signal, deadline } = context;
  const reader = { roots, signal, deadline, ...ownership(context.caller) };
  const gathered = mayGather(planned)
    ? keepSubject(definition, planned.state, await gather(definition, args, deps, reader))
    : NOTHING;
  const state = readFrom(planned.state, gathered);
  const decision = afterGathering(planned.decision, gathered);
  const notices = [
    ...subjectChangeNotices(definition, state),
    ...gathered.notices,
    ...unseenImages(args, decision),
  ];
  const caller = { via: context.via, continuationId: thread.id };
  const taken = { definition, args, state, roots, caller, gathered, notices };
  const earlierTurns = beginsAnew(args, before) ? [] : (before?.turns ?? []);
  const step: OpenStep = { taken, thread, earlierTurns, turn: thread.turns + 1 };
  signal.throwIfAborted();
  return decision.is === 'expert'
    ? judgeStep(step, decision.early, deps.locale, context, () =>
        readFiles(planned, roots, deps, context),
      )
    : finish(step, decision);
}

const NOTHING: Gathered = { texts: [], facts: {}, notices: [] };

interface PlannedStep {
  /** Completed by earlier steps. */
  readonly args: WorkflowArgs;
  readonly state: WorkflowState;
  readonly decision: StepDecision;
  /** Files for the expert. */
  readonly paths: readonly string[];
}

function plan(
  definition: WorkflowDefinition,
  given: WorkflowArgs,
  before: StoredWorkflow | undefined,
  roots: readonly string[],
): PlannedStep {
  const state = advanceWorkflow(before?.state, toStepInput(definition, given, roots));
  const args = withStickyFields(definition, given, state.steps);
  const decision = decideStep(definition, args, state);
  const paths = decision.is === 'expert' ? consolidate(state).relevantFiles : [];
  return { args, state, decision, paths };
}

function mayGather({ args, decision }: PlannedStep): boolean {
  return decision.is === 'expert' || args.step_number === 1;
}

/** Whether roots are needed: to read files, or to resolve a relative path. */
function needsRoots(definition: WorkflowDefinition, planned: PlannedStep): boolean {
  const { args, paths } = planned;
  const { files_checked: checked = [], relevant_files: relevant = [] } = args;
  const folder = definition.subject && args[definition.subject.folder];
  const named = [...checked, ...relevant, ...(typeof folder === 'string' ? [folder] : [])];
  return (
    paths.length > 0 ||
    (definition.gather !== undefined && mayGather(planned)) ||
    named.some((path) => !isRootIndependent(path))
  );
}

/** Stores what the first step was read from, as the subject of the later steps. */
function readFrom(state: WorkflowState, { source: of }: Gathered): WorkflowState {
  const [first, ...later] = state.steps;
  if (!first || later.length > 0 || of === undefined) return state;
  return { ...state, steps: [{ ...first, of }] };
}

function threadId(args: WorkflowArgs): string | undefined {
  const id = continuationOf(args);
  if (id !== undefined || args.step_number === 1) return id;
  throw new CallError(
    'validation',
    `"continuation_id" is missing: step ${args.step_number} continues a workflow.`,
    {
      field: 'continuation_id',
      fix: 'Give the id that step 1 was answered with, or begin with step_number 1.',
    },
  );
}

/**
 * Whether a new workflow begins. The turns of an earlier workflow are history; those of this one,
 * even after backtracking, are not.
 */
function beginsAnew(args: WorkflowArgs, before: StoredWorkflow | undefined): boolean {
  const isOver = before?.state.isOver ?? true;
  return args.step_number === 1 && (args.backtrack_from_step === undefined || isOver);
}

/**
 * Reads the subject. Only the first step fails if it cannot be read; later steps have work to lose.
 */
async function gather(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  { workspace }: WorkflowDeps,
  by: WorkspaceReader,
): Promise<Gathered> {
  try {
    return (await definition.gather?.(args, workspace, by)) ?? NOTHING;
  } catch (thrown) {
    if (args.step_number === 1 || by.signal.aborted) throw thrown;
    const error = errorText(CallError.from(thrown));
    return { ...NOTHING, notices: [notice('not_read_again', { error })] };
  }
}

/** Threads do not store images. */
function unseenImages({ images = [] }: WorkflowArgs, decision: StepDecision): readonly Notice[] {
  return images.length === 0 || decision.is === 'expert' ? [] : [notice('images_not_seen', {})];
}

/** Stores the relevant files that come as content, so that every later step finds them. */
async function storeContents(
  { relevant_files: entries }: GivenArgs,
  { fileIntake }: WorkflowDeps,
  context: ToolContext,
): Promise<{ readonly relevant_files: readonly string[] | undefined } | InputRequired> {
  if (entries === undefined) return { relevant_files: undefined };
  const relevant: string[] = [];
  for (const entry of entries) {
    if (typeof entry === 'string' && !/^data:/i.test(entry)) {
      relevant.push(entry);
      continue;
    }
    const loaded = await fileIntake.load(toFileInputs([entry]), { field: FIELD }, context);
    if ('inputRequests' in loaded) return loaded;
    relevant.push(...loaded.kept);
  }
  return { relevant_files: relevant };
}

const FIELD = 'relevant_files';

async function readFiles(
  { args, state, paths }: PlannedStep,
  roots: readonly string[],
  { fileIntake }: WorkflowDeps,
  context: ToolContext,
): Promise<LoadedFiles> {
  const seen = displayNamesFrom(state, roots);
  const valid = dropAmbiguousPaths(paths, roots);
  const { texts, media, notices } = await readExpertFiles(valid.paths, fileIntake, context);
  const images = await loadImages(args.images, fileIntake, context);
  if ('inputRequests' in images) throw new CallError('internal', 'The roots are already known.');
  return {
    texts: [...texts.map((text) => ({ ...text, name: seen(text.name) })), ...images.texts],
    media: [...media, ...images.media],
    notices: [...valid.notices, ...notices, ...images.notices],
    kept: images.kept,
  };
}

/** Limit of the stored instructions, which later questions of the conversation contain. */
const MAX_KEPT_CHARS = 4_000;

/** Ends a step without an expert. */
async function finish(
  step: OpenStep,
  decision: Exclude<StepDecision, { is: 'expert' }>,
): Promise<ToolResult> {
  const { taken } = step;
  const { state } = taken;
  if (decision.is === 'end') {
    const answer = endAnswer(taken, decision);
    const continuation = await saveStep(step, { ...state, isOver: true }, answer.text);
    return { ...answer, continuation };
  }
  const instructions =
    decision.is === 'hold' ? holdInstructions(taken, decision.hold) : pauseInstructions(taken);
  const continuation = await saveStep(step, state, truncate(instructions.text, MAX_KEPT_CHARS));
  return pauseAnswer(taken, instructions, continuation);
}
