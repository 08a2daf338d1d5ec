import { CallError } from '#core/call-error.ts';
import type { JsonObject } from '#core/json.ts';
import type { Finding } from './finding.ts';
import { lastingFields } from './lasting-fields.ts';

/** One step as it was told. */
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
  /** The folder that names of files which are not whole begin at. */
  readonly root?: string;
  /** The definition's own arguments, as far as this step said something new in them. */
  readonly fields?: JsonObject;
  /** What was read for it was of this. */
  readonly of?: string;
}

/** How far a workflow has come: a value in its thread, never on a tool. */
export interface WorkflowState {
  /** In their order; a step that was gone back before is not among them. */
  readonly steps: readonly Step[];
  readonly totalSteps: number;
  readonly isOver: boolean;
}

/** A step on its way into a state. */
export interface GivenStep {
  readonly step: Step;
  readonly totalSteps: number;
  /** The step that this one takes the place of, with all that came after it. */
  readonly backtrackFrom?: number | undefined;
}

/** Of all texts of a workflow: each step writes all of them again, so they cannot grow without end. */
export const MAX_STATE_CHARS = 4_000_000;

/** The state after a step. Throws `validation` for a step that is not the next one, `too_large` for what cannot be kept. */
export function advance(before: WorkflowState | undefined, given: GivenStep): WorkflowState {
  const { step, totalSteps, backtrackFrom } = given;
  const earlier = stepsBefore(before, step.number, backtrackFrom);
  const steps = [...earlier, withoutRepeats(step, earlier)];
  checkSize(steps);
  return { steps, totalSteps: Math.max(totalSteps, step.number), isOver: false };
}

/** Callers say the same with every step, and every step would be kept with all of it. */
function withoutRepeats(step: Step, earlier: readonly Step[]): Step {
  const { fields, ...rest } = step;
  if (!fields) return step;
  const said = lastingFields(earlier);
  const added = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(said[name]) !== JSON.stringify(value),
  );
  return added.length === 0 ? rest : { ...rest, fields: Object.fromEntries(added) };
}

/** What stays of the steps so far when this one comes. */
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
  // The first step begins anew, whatever was before.
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
