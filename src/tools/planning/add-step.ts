import { CallError } from '#core/call-error.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { nearest } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import { NO_PLAN, type Plan, type PlanStep } from './plan.ts';

/** A step as its caller tells it. */
export interface ToldStep {
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

/** More is no plan that anybody reads, and all of it is written anew with each step. */
const MAX_CHARS = 1_000_000;
export const MAX_NAME_CHARS = 64;
/** Branches of branches. */
const MAX_DEPTH = 16;

/** The plan with one step more; step 1 begins a new one, unless it is to revise what there is. Throws `validation` with the field that is wrong. */
export function addStep(before: Plan, told: ToldStep): Plan {
  const plan = told.step_number === 1 && !saysRevision(told) ? NO_PLAN : before;
  checkOrder(plan, told);
  const place =
    told.is_step_revision || isRevising(told) ? revision(plan, told) : branch(plan, told);
  const step: PlanStep = { number: told.step_number, text: told.step, ...place };
  checkSize(plan, step);
  const isComplete = !told.next_step_required;
  if (isComplete && told.more_steps_needed) {
    throw refuse(
      'more_steps_needed',
      '"more_steps_needed" is true, but next_step_required is false.',
      fix('set_argument', { argument: 'next_step_required', value: true }),
      fix('omit_argument', { argument: 'more_steps_needed' }),
    );
  }
  return {
    steps: [...plan.steps, step],
    totalSteps: Math.max(told.total_steps, told.step_number + (told.more_steps_needed ? 1 : 0)),
    isComplete,
  };
}

function checkOrder({ steps }: Plan, told: ToldStep): void {
  const { step_number: number } = told;
  const next = steps.length + 1;
  if (number === next) return;
  const instead = orderFix(told, next);
  const message =
    steps.length === 0
      ? `There is no plan yet that step ${number} could go on with.`
      : `Step ${number} is out of order: the next is step ${next}.`;
  throw refuse('step_number', message, instead);
}

function orderFix(told: ToldStep, next: number): string {
  const { step_number: number, revises_step_number: which } = told;
  if (next > 1 && saysRevision(told)) {
    return `A revision is a step of its own: send it with step_number ${next} and revises_step_number ${which ?? Math.min(number, next - 1)}.`;
  }
  return number < next
    ? `Tell it as step ${next}; to replace the text of an earlier one, set is_step_revision and revises_step_number as well.`
    : `Tell step ${next} first, or begin anew with step 1.`;
}

function saysRevision({ is_step_revision: said, revises_step_number: which }: ToldStep): boolean {
  return said ?? which !== undefined;
}

function isRevising({ is_step_revision: said, revises_step_number: which }: ToldStep): boolean {
  if (which === undefined) return false;
  if (said !== false) return true;
  throw refuse(
    'revises_step_number',
    '"revises_step_number" names a step, but is_step_revision is false.',
    fix('set_argument', { argument: 'is_step_revision', value: true }),
    fix('omit_argument', { argument: 'revises_step_number' }),
  );
}

type Place = Pick<PlanStep, 'revises' | 'branch' | 'from'>;

function revision(plan: Plan, told: ToldStep): Place {
  const { revises_step_number: which } = told;
  if (which === undefined) {
    const message = '"revises_step_number" is missing: this step is to be a revision.';
    const instead = 'Name the step whose text this one replaces, or leave out is_step_revision.';
    throw refuse('revises_step_number', message, instead);
  }
  const revised = stepAt(plan, which, 'revises_step_number');
  const named = branchName(told);
  const isElsewhere = named !== undefined && named !== revised.branch;
  if (told.is_branch_point || told.branch_from_step !== undefined || isElsewhere) {
    const field = told.is_branch_point
      ? 'is_branch_point'
      : isElsewhere
        ? 'branch_id'
        : 'branch_from_step';
    const instead = 'Tell the revision and the branch as two steps.';
    throw refuse(field, 'One step cannot revise another and begin a branch or be on one.', instead);
  }
  return { revises: revised.number };
}

function branch(plan: Plan, told: ToldStep): Place {
  const { is_branch_point: isPoint, branch_from_step: from } = told;
  const id = branchName(told);
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
        'Give the new branch another name; to go on with this one, send branch_id alone.';
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
    const other = known === undefined ? '' : `, or go on with the branch "${known}"`;
    throw refuse('branch_from_step', message, `Name the step at which it leaves${other}.`);
  }
  const origin = stepAt(plan, from, 'branch_from_step');
  if (depthOf(plan, origin) >= MAX_DEPTH) {
    const message = `Branches of branches go ${MAX_DEPTH} deep at most.`;
    throw refuse('branch_from_step', message, 'Let it leave at an earlier step.');
  }
  return { branch: id, from: origin.number };
}

/** On one line, as it is shown among others' words. */
function branchName({ branch_id: given = '' }: ToldStep): string | undefined {
  const name = oneLine(given.trim(), MAX_NAME_CHARS);
  return name === '' ? undefined : name;
}

/** The step that a number means: of a revision, the one that it revises. */
function stepAt({ steps }: Plan, number: number, field: string): PlanStep {
  const step = steps[number - 1];
  if (step) return step.revises === undefined ? step : (steps[step.revises - 1] ?? step);
  if (steps.length === 0) {
    const message = `"${field}" is ${number}, but the plan has no step yet.`;
    throw refuse(field, message, 'Begin with a step that revises nothing and is on no branch.');
  }
  const has = steps.length === 1 ? 'step 1 alone' : `steps 1 to ${steps.length}`;
  throw refuse(field, `"${field}" is ${number}, but the plan has ${has}.`, 'Name one of these.');
}

function depthOf({ steps }: Plan, { branch: id }: PlanStep): number {
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

function checkSize({ steps }: Plan, { text }: PlanStep): void {
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
