import { CallError } from '#core/errors/call-error.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { nearest, oneLine } from '#core/text/text.ts';
import { EMPTY_PLAN, type StepPlan, type PlanStep } from './plan.ts';

/** A step as the arguments of a call. */
export interface PlanStepInput {
  readonly step: string;
  readonly step_number: number;
  readonly total_steps: number;
  readonly next_step_required: boolean;
  readonly is_step_revision?: boolean | undefined;
  readonly revises_step_number?: number | undefined;
  readonly is_branch_point?: boolean | undefined;
  readonly branch_from_step?: number | undefined;
  readonly branch_id?: string | undefined;
  readonly more_steps_needed?: boolean | undefined;
}

/** Limit of the whole plan, which is stored again with each step. */
const MAX_CHARS = 1_000_000;
export const MAX_NAME_CHARS = 64;
/** Nesting of branches. */
const MAX_DEPTH = 16;

/**
 * Adds a step to a plan. Step 1 begins a new plan unless it is a revision. Throws `validation` with
 * the wrong field.
 */
export function addStep(before: StepPlan, input: PlanStepInput): StepPlan {
  const plan = input.step_number === 1 && !saysRevision(input) ? EMPTY_PLAN : before;
  checkOrder(plan, input);
  const place =
    input.is_step_revision || isRevising(input) ? revision(plan, input) : branch(plan, input);
  const step: PlanStep = { number: input.step_number, text: input.step, ...place };
  checkSize(plan, step);
  const isComplete = !input.next_step_required;
  if (isComplete && input.more_steps_needed) {
    throw refuse(
      'more_steps_needed',
      '"more_steps_needed" is true, but next_step_required is false.',
      fix('set_argument', { argument: 'next_step_required', value: true }),
      fix('omit_argument', { argument: 'more_steps_needed' }),
    );
  }
  return {
    steps: [...plan.steps, step],
    totalSteps: Math.max(input.total_steps, input.step_number + (input.more_steps_needed ? 1 : 0)),
    isComplete,
  };
}

function checkOrder({ steps }: StepPlan, input: PlanStepInput): void {
  const { step_number: number } = input;
  const next = steps.length + 1;
  if (number === next) return;
  const instead = orderFix(input, next);
  const message =
    steps.length === 0
      ? `There is no plan yet that step ${number} could continue.`
      : `Step ${number} is out of order: the next is step ${next}.`;
  throw refuse('step_number', message, instead);
}

function orderFix(input: PlanStepInput, next: number): string {
  const { step_number: number, revises_step_number: which } = input;
  if (next > 1 && saysRevision(input)) {
    return `A revision is a separate step: send it with step_number ${next} and revises_step_number ${which ?? Math.min(number, next - 1)}.`;
  }
  return number < next
    ? `Send it as step ${next}; to replace the text of an earlier one, set is_step_revision and revises_step_number as well.`
    : `Send step ${next} first, or start again with step 1.`;
}

function saysRevision({
  is_step_revision: isRevision,
  revises_step_number: which,
}: PlanStepInput): boolean {
  return isRevision ?? which !== undefined;
}

function isRevising({
  is_step_revision: isRevision,
  revises_step_number: which,
}: PlanStepInput): boolean {
  if (which === undefined) return false;
  if (isRevision !== false) return true;
  throw refuse(
    'revises_step_number',
    '"revises_step_number" names a step, but is_step_revision is false.',
    fix('set_argument', { argument: 'is_step_revision', value: true }),
    fix('omit_argument', { argument: 'revises_step_number' }),
  );
}

type Place = Pick<PlanStep, 'revises' | 'branch' | 'from'>;

function revision(plan: StepPlan, input: PlanStepInput): Place {
  const { revises_step_number: which } = input;
  if (which === undefined) {
    const message = '"revises_step_number" is missing: this step is to be a revision.';
    const instead = 'Name the step whose text this one replaces, or leave out is_step_revision.';
    throw refuse('revises_step_number', message, instead);
  }
  const revised = stepAt(plan, which, 'revises_step_number');
  const named = branchName(input);
  const isElsewhere = named !== undefined && named !== revised.branch;
  if (input.is_branch_point || input.branch_from_step !== undefined || isElsewhere) {
    const field = input.is_branch_point
      ? 'is_branch_point'
      : isElsewhere
        ? 'branch_id'
        : 'branch_from_step';
    const instead = 'Send the revision and the branch as two steps.';
    throw refuse(field, 'One step cannot revise another and begin a branch or be on one.', instead);
  }
  return { revises: revised.number };
}

function branch(plan: StepPlan, input: PlanStepInput): Place {
  const { is_branch_point: isPoint, branch_from_step: from } = input;
  const id = branchName(input);
  if (id === undefined) {
    if (!isPoint && from === undefined) return {};
    const message = '"branch_id" is missing: a branch has a name.';
    throw refuse('branch_id', message, 'Give it a short one.');
  }
  const first = plan.steps.find((step) => step.branch === id);
  if (first) {
    if (
      isPoint ||
      (from !== undefined && stepAt(plan, from, 'branch_from_step').number !== first.from)
    ) {
      const message = `There is a branch "${id}" already; it leaves at step ${first.from}.`;
      const instead =
        'Give the new branch another name; to continue this one, send branch_id alone.';
      throw refuse('branch_id', message, instead);
    }
    return { branch: id };
  }
  if (isPoint === false) {
    const instead = 'Set is_branch_point and branch_from_step to begin it.';
    throw refuse('branch_id', `There is no branch "${id}".`, instead);
  }
  if (from === undefined) {
    const message = `"branch_from_step" is missing: the branch "${id}" is new.`;
    const known = nearest(
      id,
      plan.steps.flatMap((step) => step.branch ?? []),
    );
    const other = known === undefined ? '' : `, or continue the branch "${known}"`;
    throw refuse('branch_from_step', message, `Name the step at which it leaves${other}.`);
  }
  const origin = stepAt(plan, from, 'branch_from_step');
  if (depthOf(plan, origin) >= MAX_DEPTH) {
    const message = `Branches of branches go ${MAX_DEPTH} deep at most.`;
    throw refuse('branch_from_step', message, 'Let it leave at an earlier step.');
  }
  return { branch: id, from: origin.number };
}

/** The branch name on one line, because it is shown inside other texts. */
function branchName({ branch_id: given = '' }: PlanStepInput): string | undefined {
  const name = oneLine(given.trim(), MAX_NAME_CHARS);
  return name === '' ? undefined : name;
}

/** The step with a number; for a revision, the step it revises. */
function stepAt({ steps }: StepPlan, number: number, field: string): PlanStep {
  const step = steps[number - 1];
  if (step) return step.revises === undefined ? step : (steps[step.revises - 1] ?? step);
  if (steps.length === 0) {
    const message = `"${field}" is ${number}, but the plan has no step yet.`;
    throw refuse(field, message, 'Begin with a step that revises nothing and is on no branch.');
  }
  const has = steps.length === 1 ? 'step 1 alone' : `steps 1 to ${steps.length}`;
  throw refuse(field, `"${field}" is ${number}, but the plan has ${has}.`, 'Name one of these.');
}

function depthOf({ steps }: StepPlan, { branch: id }: PlanStep): number {
  const origins = new Map(
    steps.flatMap(({ branch: name, from }) =>
      name !== undefined && from !== undefined ? [[name, from] as const] : [],
    ),
  );
  let depth = 0;
  let at = id;
  while (at !== undefined && depth < MAX_DEPTH) {
    depth += 1;
    at = steps[(origins.get(at) ?? 0) - 1]?.branch;
  }
  return depth;
}

function checkSize({ steps }: StepPlan, { text }: PlanStep): void {
  const chars = steps.reduce((sum, step) => sum + step.text.length, text.length);
  if (chars <= MAX_CHARS) return;
  throw new CallError('too_large', `The plan would have more than ${MAX_CHARS} characters.`, {
    field: 'step',
    fix: 'Tell steps in fewer words, or begin a new plan for a part of it with step 1.',
  });
}

function refuse(field: string, message: string, ...fixes: readonly (Fix | string)[]): CallError {
  return new CallError('validation', message, { field, fixes });
}
