import * as z from 'zod';
import { CallError } from '#core/call-error.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Thread, Threads } from '#core/threads.ts';
import type { Tool, ToolAnswer } from '#core/tool.ts';
import * as fields from './asking/fields.ts';
import { PLANNER_HELP } from './help/planner.ts';
import { addStep, MAX_NAME_CHARS } from './planning/add-step.ts';
import { pauseOf, requiredActions } from './planning/next-words.ts';
import { planTree, planWords } from './planning/plan-tree.ts';
import { readPlan, toJson, type Plan, type PlanStep } from './planning/plan.ts';

export interface PlannerDeps {
  readonly threads: Pick<Threads, 'open'>;
}

const NAME = 'planner';
const COMPLETE = 'planning_complete';
/** Words in angle brackets are to be filled in. */
const NEXT_STEP = '<the next step of the plan>';

/** A plan step by step, with revisions and branches. The thinking is the caller's: no model is asked. */
export function planner({ threads }: PlannerDeps): Tool {
  return defineTool({
    name: NAME,
    title: 'Planner',
    description:
      'Work out a plan step by step, with revisions and branches; it is kept, and told whole at the end. Asks no model.',
    help: PLANNER_HELP,
    input: z.strictObject({
      step: fields.planStepField,
      step_number: fields.stepNumberField,
      total_steps: fields.totalStepsField,
      next_step_required: fields.nextStepField,
      is_step_revision: z.boolean().optional(),
      revises_step_number: fields.earlierStepField.optional(),
      is_branch_point: z.boolean().optional(),
      branch_from_step: fields.earlierStepField.optional(),
      branch_id: z.string().max(MAX_NAME_CHARS).optional(),
      more_steps_needed: z.boolean().optional(),
      continuation_id: fields.continuationField.optional(),
      // Older clients send them with every tool that works in steps.
      use_assistant_model: z.boolean().optional(),
      model: z.string().max(256).optional(),
    }),
    output: z.looseObject({
      status: z.enum(['pause_for_planning', 'pause_for_deep_thinking', COMPLETE]),
      step_number: z.int(),
      total_steps: z.int(),
      next_step_required: z.boolean(),
    }),
    // All it changes is its own conversation, which no user need be asked about; but sent twice it is said twice.
    effect: 'reads',
    idempotent: false,
    category: 'extended_reasoning',
    profile: 'lean',
    async run(args, { caller }) {
      const { step, step_number: number } = args;
      const id = fields.continuationOf(args);
      if (id === undefined && number > 1) throw noThread(number);
      const thread = await threads.open({ principal: caller.principal, id, about: step });
      const plan = addStep(readPlan(thread.stateOf(NAME)), args);
      const answer = plan.isComplete ? completed(plan) : paused(plan, thread);
      const continuation = await thread.keep(
        [
          { role: 'user', tool: NAME, content: step },
          { role: 'assistant', tool: NAME, content: answer.kept },
        ],
        { state: { tool: NAME, value: toJson(plan) } },
        'unchanged',
      );
      const { kept: _, ...told } = answer;
      return { ...told, continuation };
    },
  });
}

function noThread(number: number): CallError {
  return new CallError('validation', `"continuation_id" is missing: step ${number} goes on.`, {
    field: 'continuation_id',
    fix: 'Send the id that the answer to step 1 had, or begin with step 1.',
  });
}

interface Told extends ToolAnswer {
  /** What the conversation keeps of it, for whoever reads it later. */
  readonly kept: string;
}

function paused(plan: Plan, { id }: Thread): Told {
  const { steps, totalSteps } = plan;
  const last = lastOf(plan);
  const number = steps.length;
  const status = pauseOf(number, totalSteps);
  const total = Math.max(totalSteps, number + 1);
  const actions = requiredActions(status, number);
  const next = `Do what required_actions says, then call ${NAME} with step ${number + 1}.`;
  const noted = `${placeWords(last)} is noted.`;
  return {
    status,
    kept: noted,
    text: [
      `${noted} ${number} of ${total} are told.`,
      `Before step ${number + 1}:`,
      ...actions.map((action) => `- ${action}`),
    ].join('\n'),
    content: {
      status,
      step_number: number,
      total_steps: totalSteps,
      next_step_required: true,
      planning_required: true,
      planning_status: { state: 'planning_in_progress', ...countsOf(plan) },
      required_actions: actions,
      next_steps: next,
      next_call: {
        tool: NAME,
        arguments: {
          step: NEXT_STEP,
          step_number: number + 1,
          total_steps: total,
          next_step_required: number + 1 < total,
          ...(last?.branch !== undefined && { branch_id: last.branch }),
          continuation_id: id,
        },
      },
    },
  };
}

function completed(plan: Plan): Told {
  const tree = planTree(plan);
  const words = planWords(tree);
  const { branches, revisions } = countsOf(plan);
  const made = [
    counted(plan.steps.length - revisions, 'step', 'steps'),
    ...(branches > 0 ? [counted(branches, 'branch', 'branches')] : []),
    ...(revisions > 0 ? [counted(revisions, 'revision', 'revisions')] : []),
  ].join(', ');
  const text = `The plan is complete: ${made}.\n\n${words}`;
  return {
    status: COMPLETE,
    kept: text,
    text,
    content: {
      status: COMPLETE,
      step_number: plan.steps.length,
      total_steps: plan.totalSteps,
      next_step_required: false,
      planning_complete: true,
      planning_status: { state: COMPLETE, ...countsOf(plan) },
      plan: tree,
      plan_text: words,
      next_steps:
        'Show the plan: what is done in which order, the branches with what speaks for each, and what is open. A further step, such as a revision, may still follow.',
    },
  };
}

function countsOf({ steps }: Plan) {
  const branches = new Set(steps.flatMap(({ branch }) => branch ?? []));
  return {
    steps: steps.length,
    revisions: steps.filter(({ revises }) => revises !== undefined).length,
    branches: branches.size,
  };
}

function lastOf({ steps }: Plan): PlanStep | undefined {
  return steps.at(-1);
}

function placeWords(step: PlanStep | undefined): string {
  if (!step) return 'Nothing';
  const { number, revises, branch, from } = step;
  if (revises !== undefined) return `Step ${number}, which revises step ${revises},`;
  if (branch === undefined) return `Step ${number}`;
  return from === undefined
    ? `Step ${number}, on the branch "${branch}",`
    : `Step ${number}, which begins the branch "${branch}" at step ${from},`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
