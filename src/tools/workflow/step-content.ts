import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { oneLine } from '#core/text/text.ts';
import type { WrapperName } from '#core/tools/tool-name.ts';
import { consolidate, type Consolidated } from './consolidate.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import { stateSeenFrom } from './step-paths.ts';
import { pluralize, truncate, withTitle } from './format.ts';
import type { WorkflowState } from './state.ts';
import type { WorkflowArgs } from './step-fields.ts';

/** A step with its results so far. */
export interface TakenStep {
  readonly definition: WorkflowDefinition;
  readonly args: WorkflowArgs;
  readonly state: WorkflowState;
  /** Known folders of the caller; paths in the first are shown relative to it. */
  readonly roots: readonly string[];
  /** How the caller reaches the tool for the next step. */
  readonly caller: {
    readonly via: WrapperName | undefined;
    readonly continuationId: string;
  };
  readonly gathered: Gathered;
  /** Notices for the caller. */
  readonly notices: readonly Notice[];
}

/** The notices as a paragraph. */
export function renderNote({ notices }: Pick<TakenStep, 'notices'>): string {
  return withTitle('Note', notices.map(baseRenderer.notice).join('\n'));
}

/** Fields of every step's answer. */
export function stepContent(
  { args, state, gathered, notices }: TakenStep,
  { status, nextStepRequired }: { readonly status: string; readonly nextStepRequired: boolean },
) {
  return {
    // First, so that no gathered fact overrides a field of the engine.
    ...gathered.facts,
    status,
    step_number: args.step_number,
    total_steps: state.totalSteps,
    next_step_required: nextStepRequired,
    ...(notices.length > 0 && { notices: notices.map(baseRenderer.notice) }),
  };
}

export function earlyEnd({ args, state }: TakenStep, because: string | undefined) {
  if (because === undefined) return {};
  const { step_number } = args;
  return { early_termination: { step_number, total_steps: state.totalSteps, because } };
}

/** Limit of listed entries; their number is given separately. */
const MAX_LISTED = 200;
const MAX_REQUEST_CHARS = 4_000;
const MAX_FINDINGS_CHARS = 4_000;

/** Counts of the work so far. */
export function progressOf(state: WorkflowState) {
  const { filesChecked, relevantFiles, relevantContext, issues, confidence } = consolidate(state);
  return {
    files_checked: filesChecked.length,
    relevant_files: relevantFiles.length,
    relevant_context: relevantContext.length,
    issues_found: issues.length,
    ...(confidence !== undefined && { current_confidence: confidence }),
  };
}

/** The caller's work, at the end of the workflow. */
export function workSummary(taken: Pick<TakenStep, 'definition' | 'args' | 'state' | 'roots'>) {
  const { definition, args, state, roots } = taken;
  const all = consolidate(stateSeenFrom(state, roots));
  const [first] = state.steps;
  return {
    initial_request: truncate(first?.step ?? '', MAX_REQUEST_CHARS),
    steps_taken: state.steps.length,
    files_examined: all.filesChecked.slice(0, MAX_LISTED),
    relevant_files: all.relevantFiles.slice(0, MAX_LISTED),
    relevant_context: all.relevantContext.slice(0, MAX_LISTED),
    issues_found: all.issues.slice(0, MAX_LISTED),
    work_summary: summary(state, all, definition.counts?.(args)),
  };
}

function summary({ steps }: WorkflowState, all: Consolidated, own: string | undefined): string {
  const last = steps.findLast(({ findings }) => /\S/.test(findings))?.findings ?? '';
  const { filesChecked, relevantFiles, issues, hypothesis } = all;
  const files = `${pluralize(filesChecked.length, 'file')} looked at, ${relevantFiles.length} that matter`;
  return [
    `${pluralize(steps.length, 'step')}, ${own ?? files}, ${pluralize(issues.length, 'issue')}.`,
    ...(hypothesis === undefined ? [] : [`Hypothesis: ${oneLine(hypothesis, MAX_REQUEST_CHARS)}`]),
    ...(last === '' ? [] : [`Last findings: ${truncate(last, MAX_FINDINGS_CHARS)}`]),
  ].join('\n');
}

/** The relevant files of a paused step, by name only. */
export function fileReferences({ state, roots }: Pick<TakenStep, 'state' | 'roots'>) {
  const { relevantFiles } = consolidate(stateSeenFrom(state, roots));
  return {
    type: 'reference_only',
    files: relevantFiles.slice(0, MAX_LISTED),
    count: relevantFiles.length,
    note: 'Named only; their contents go to the expert at the end.',
  };
}

/** The files of the last step, as given to the expert. */
export function filesForExpert(count: number) {
  return count > 0
    ? { type: 'fully_embedded', count }
    : { type: 'none', count, note: 'No file of relevant_files was given to the expert.' };
}
