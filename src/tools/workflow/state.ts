import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Finding } from './findings.ts';
import { stickyFields } from './sticky-fields.ts';

/** One step of a workflow. */
export interface Step {
  readonly number: number;
  readonly step: string;
  readonly findings: string;
  readonly confidence?: string;
  readonly hypothesis?: string;
  readonly filesChecked: readonly string[];
  readonly relevantFiles: readonly string[];
  readonly relevantContext: readonly string[];
  readonly issues: readonly Finding[];
  /** The folder that relative paths start from. */
  readonly root?: string;
  /** The definition's own arguments that this step changed. */
  readonly fields?: JsonObject;
  /** What its gathered material was read from. */
  readonly of?: string;
}

/** The progress of a workflow: a value stored in its thread. */
export interface WorkflowState {
  /** In order, without steps dropped by backtracking. */
  readonly steps: readonly Step[];
  readonly totalSteps: number;
  readonly isOver: boolean;
}

/** A step before it is added to the state. */
export interface StepInput {
  readonly step: Step;
  readonly totalSteps: number;
  /** The step to redo; it and all later ones are dropped. */
  readonly backtrackFrom?: number | undefined;
}

/** Limit of all texts of a workflow, because each step stores all of them again. */
export const MAX_STATE_CHARS = 4_000_000;

/**
 * Adds a step to a state. Throws `validation` if it is not the next one, `too_large` if the texts
 * exceed the limit.
 */
export function advanceWorkflow(
  before: WorkflowState | undefined,
  given: StepInput,
): WorkflowState {
  const { step, totalSteps, backtrackFrom } = given;
  const earlier = stepsBefore(before, step.number, backtrackFrom);
  const steps = [...earlier, withoutRepeats(step, earlier)];
  checkSize(steps);
  return { steps, totalSteps: Math.max(totalSteps, step.number), isOver: false };
}

/** Removes values equal to earlier ones, because callers repeat them with every step. */
function withoutRepeats(step: Step, earlier: readonly Step[]): Step {
  const { fields, ...rest } = step;
  if (!fields) return step;
  const values = stickyFields(earlier);
  const added = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(values[name]) !== JSON.stringify(value),
  );
  return added.length === 0 ? rest : { ...rest, fields: Object.fromEntries(added) };
}

/** The earlier steps that stay. */
function stepsBefore(
  before: WorkflowState | undefined,
  number: number,
  backtrackFrom: number | undefined,
): readonly Step[] {
  if (backtrackFrom !== undefined && backtrackFrom !== number) {
    throw refuse(
      'step_number',
      `Going back to step ${backtrackFrom} means to do that step again, but "step_number" is ${number}.`,
      `Give step_number ${backtrackFrom}, or leave backtrack_from_step out.`,
    );
  }
  // The first step always begins a new workflow.
  if (number === 1) return [];
  if (!before || before.steps.length === 0) {
    throw refuse(
      'step_number',
      `Step ${number} has nothing to follow: no step 1 of this tool is in the conversation.`,
      'Begin with step_number 1, or give the continuation_id that step 1 was answered with.',
    );
  }
  if (before.isOver) {
    throw refuse(
      'step_number',
      `The workflow ended with step ${before.steps.length}, so step ${number} cannot follow.`,
      'Begin again with step_number 1; the same continuation_id keeps what was said.',
    );
  }
  return backtrackFrom === undefined
    ? followed(before.steps, number)
    : goneBack(before.steps, backtrackFrom);
}

function followed(steps: readonly Step[], number: number): readonly Step[] {
  const next = steps.length + 1;
  if (number === next) return steps;
  const isRepeat = number < next;
  throw refuse(
    'step_number',
    isRepeat
      ? `Step ${number} was taken already; the next is step ${next}.`
      : `Step ${number} is not the next one, but step ${next} is.`,
    isRepeat
      ? `Give step_number ${next}, or backtrack_from_step ${number} to do step ${number} again.`
      : `Give step_number ${next}.`,
  );
}

function goneBack(steps: readonly Step[], from: number): readonly Step[] {
  if (from <= steps.length) return steps.slice(0, from - 1);
  throw refuse(
    'backtrack_from_step',
    `There is no step ${from} to go back to; the last one is step ${steps.length}.`,
    `Give a step from 1 to ${steps.length}, or leave backtrack_from_step out and give step_number ${steps.length + 1}.`,
  );
}

function checkSize(steps: readonly Step[]): void {
  const chars = steps.reduce((sum, step) => sum + stepChars(step), 0);
  if (chars <= MAX_STATE_CHARS) return;
  throw new CallError(
    'too_large',
    `The steps so far and this one have ${chars} characters, and a workflow keeps at most ${MAX_STATE_CHARS}.`,
    {
      field: 'findings',
      fix: 'Say less in this step, or begin again with step_number 1 and a summary of what was found.',
    },
  );
}

function stepChars(step: Step): number {
  const { filesChecked, relevantFiles, relevantContext, issues, hypothesis = '' } = step;
  const issueTexts = issues.flatMap(({ description, file = '', fix = '' }) => [
    description,
    file,
    fix,
  ]);
  const fieldChars = step.fields ? JSON.stringify(step.fields).length : 0;
  return [filesChecked, relevantFiles, relevantContext, issueTexts]
    .flat()
    .reduce(
      (sum, text) => sum + text.length,
      step.step.length + step.findings.length + hypothesis.length + fieldChars,
    );
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}
