import { placedStep } from './file-names.ts';
import type { Finding } from './finding.ts';
import type { Step, WorkflowState } from './state.ts';

/** What all steps together say, each thing once, files by names that mean the same from everywhere. */
export interface Consolidated {
  readonly filesChecked: readonly string[];
  readonly relevantFiles: readonly string[];
  readonly relevantContext: readonly string[];
  readonly issues: readonly Finding[];
  /** The last that was told. */
  readonly confidence: string | undefined;
  readonly hypothesis: string | undefined;
}

export function consolidate(state: WorkflowState): Consolidated {
  const steps = state.steps.map(placedStep);
  const all = (pick: (step: Step) => readonly string[]) => [...new Set(steps.flatMap(pick))];
  return {
    filesChecked: all((step) => step.filesChecked),
    relevantFiles: all((step) => step.relevantFiles),
    relevantContext: all((step) => step.relevantContext),
    issues: steps.flatMap(({ issues }) => issues),
    confidence: steps.findLast(({ confidence }) => confidence !== undefined)?.confidence,
    hypothesis: steps.findLast(({ hypothesis }) => hypothesis !== undefined)?.hypothesis,
  };
}

/** The story of the work, for who has to judge it. */
export function findingsText(state: WorkflowState): string {
  const { filesChecked, relevantFiles, relevantContext, issues } = consolidate(state);
  const issueLines = issues.map(
    ({ severity, description, file, line, fix }) =>
      `${severity}: ${description}${place(file, line)}${fix === undefined ? '' : ` (fix: ${fix})`}`,
  );
  return [
    ...state.steps.map(stepText),
    listed('Files looked at', filesChecked),
    listed('Files that matter', relevantFiles),
    listed('Functions and types that matter', relevantContext),
    listed('Issues found', issueLines),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function stepText({ number, step, findings, hypothesis, confidence }: Step): string {
  return [
    `Step ${number}: ${step}`,
    `Findings: ${findings}`,
    ...(hypothesis === undefined ? [] : [`Hypothesis: ${hypothesis}`]),
    ...(confidence === undefined ? [] : [`Confidence: ${confidence}`]),
  ].join('\n');
}

function listed(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

export function place(file: string | undefined, line: number | undefined): string {
  if (file === undefined) return '';
  return line === undefined ? ` [${file}]` : ` [${file}:${line}]`;
}
