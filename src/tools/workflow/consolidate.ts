import { withAbsolutePaths } from './step-paths.ts';
import type { Finding } from './findings.ts';
import type { Step, WorkflowState } from './state.ts';

/** What all steps say together, without duplicates and with absolute paths. */
export interface Consolidated {
  readonly filesChecked: readonly string[];
  readonly relevantFiles: readonly string[];
  readonly relevantContext: readonly string[];
  readonly issues: readonly Finding[];
  /** The last one given. */
  readonly confidence: string | undefined;
  readonly hypothesis: string | undefined;
}

export function consolidate(state: WorkflowState): Consolidated {
  const steps = state.steps.map(withAbsolutePaths);
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

/** The findings of all steps as text for the expert. */
export function findingsText(state: WorkflowState): string {
  const { filesChecked, relevantFiles, relevantContext, issues } = consolidate(state);
  const issueLines = issues.map(
    ({ severity, description, file, line, fix }) =>
      `${severity}: ${description}${formatLocation(file, line)}${fix === undefined ? '' : ` (fix: ${fix})`}`,
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

export function formatLocation(file: string | undefined, line: number | undefined): string {
  if (file === undefined) return '';
  return line === undefined ? ` [${file}]` : ` [${file}:${line}]`;
}
