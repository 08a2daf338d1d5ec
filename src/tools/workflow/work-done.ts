import { oneLine } from '#core/one-line.ts';
import { cut } from '../asking/cut.ts';
import { consolidate, type Consolidated } from './consolidate.ts';
import { seenFrom } from './file-names.ts';
import type { WorkflowState } from './state.ts';
import type { TakenStep } from './step-answer.ts';
import { counted } from './words.ts';

/** So many of a list are told; how many there are is told beside it. */
const MAX_LISTED = 200;
const MAX_REQUEST_CHARS = 4_000;
const MAX_FINDINGS_CHARS = 4_000;

/** Counts of what the steps brought so far, as each answer tells them. */
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

/** What the caller did, at the end of it. */
export function workDone(taken: Pick<TakenStep, 'definition' | 'args' | 'state' | 'roots'>) {
  const { definition, args, state, roots } = taken;
  const all = consolidate(seenFrom(state, roots));
  const [first] = state.steps;
  return {
    initial_request: cut(first?.step ?? '', MAX_REQUEST_CHARS),
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
  const files = `${counted(filesChecked.length, 'file')} looked at, ${relevantFiles.length} that matter`;
  return [
    `${counted(steps.length, 'step')}, ${own ?? files}, ${counted(issues.length, 'issue')}.`,
    ...(hypothesis === undefined ? [] : [`Hypothesis: ${oneLine(hypothesis, MAX_REQUEST_CHARS)}`]),
    ...(last === '' ? [] : [`Last findings: ${cut(last, MAX_FINDINGS_CHARS)}`]),
  ].join('\n');
}

/** The files as each pause tells them: by name, so that steps stay small. */
export function filesByName({ state, roots }: Pick<TakenStep, 'state' | 'roots'>) {
  const { relevantFiles } = consolidate(seenFrom(state, roots));
  return {
    type: 'reference_only',
    files: relevantFiles.slice(0, MAX_LISTED),
    count: relevantFiles.length,
    note: 'Named only; their contents go to the expert at the end.',
  };
}

/** The files at the end, by what the expert got of them. */
export function filesGiven(count: number) {
  return count > 0
    ? { type: 'fully_embedded', count }
    : { type: 'none', count, note: 'No file of relevant_files was given to the expert.' };
}
