import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { FileIntake, LoadedFiles } from '#core/files/file-intake.ts';
import type { Thread, Threads } from '#core/threads.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import type { WrapperName } from '#core/tools/tool-name.ts';
import { throughWrapper, wrappedCallText } from '../shared/wrapped-call.ts';
import { addStep, MAX_NAME_CHARS } from './add-step.ts';
import { toFileInputs, type FileArgument } from '../shared/attachments.ts';
import * as fields from '../shared/fields.ts';
import { noticeFields, renderNotices } from '../shared/notices.ts';
import {
  planToJson,
  planTree,
  readPlan,
  renderPlan,
  type PlanStep,
  type StepPlan,
} from './plan.ts';

/** Help text of planner for `search_tools`. */
const PLANNER_HELP = `How it works: one call for each step. The plan is yours; no model is asked.
- files are checked and kept with the plan, in the forms of chat: a chat or a workflow with the same continuation_id finds them.
- A plain step continues the plan, or the branch named by branch_id.
- A revision (is_step_revision, revises_step_number) replaces the text of an earlier step, and counts as a step itself.
- A branch begins with is_branch_point, branch_from_step and a new branch_id.

Statuses:
- pause_for_deep_thinking: in the first three steps of a plan of five or more. Do what required_actions says before the next step.
- pause_for_planning: the same, later on and in smaller plans.
- planning_complete: next_step_required was false. plan (a tree with its branches) and plan_text are the whole plan; further steps may still follow.

next_call is a template of the next call; continuation_id continues the plan at any time. A refused step (validation) stores nothing.`;

interface PlannerDeps {
  readonly threads: Pick<Threads, 'open'>;
  readonly fileIntake: FileIntake;
}

const NAME = 'planner';
const COMPLETE = 'planning_complete';
/** Text in angle brackets is a placeholder. */
const NEXT_STEP = '<the next step of the plan>';

/**
 * Builds a plan step by step, with revisions and branches. The caller does the thinking: no model
 * is asked.
 */
export function planner({ threads, fileIntake }: PlannerDeps): Tool {
  return defineTool({
    name: NAME,
    title: 'Planner',
    description:
      'Develop a plan step by step, with revisions and branches; it is stored and returned whole at the end. Makes no model call.',
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
      files: fields.planFilesField.optional(),
      continuation_id: fields.continuationField.optional(),
      // Older clients send these with every tool that works in steps.
      use_assistant_model: z.boolean().optional(),
      model: z.string().max(256).optional(),
    }),
    output: z.looseObject({
      status: z.enum(['pause_for_planning', 'pause_for_deep_thinking', COMPLETE]),
      step_number: z.int(),
      total_steps: z.int(),
      next_step_required: z.boolean(),
    }),
    // It changes only its own conversation, so it needs no approval, but it is not idempotent.
    effect: 'reads',
    idempotent: false,
    category: 'extended_reasoning',
    profile: 'lean',
    async run(args, context) {
      const { caller, via } = context;
      const { step, step_number: number } = args;
      const id = fields.continuationOf(args);
      if (id === undefined && number > 1) throw noThread(number);
      const thread = await threads.open({ principal: caller.principal, id, about: step });
      const plan = addStep(readPlan(thread.stateOf(NAME)), args);
      const loaded = await loadFiles(args.files, fileIntake, context);
      if ('inputRequests' in loaded) return loaded;
      const { kept, notices } = loaded;
      const answer = plan.isComplete ? completed(plan) : paused(plan, thread, via);
      const continuation = await thread.append(
        [
          { role: 'user', tool: NAME, content: step, ...(kept.length > 0 && { files: kept }) },
          { role: 'assistant', tool: NAME, content: answer.stored },
        ],
        { state: { tool: NAME, value: planToJson(plan) } },
        { ifUnchanged: true },
      );
      const { stored: _, ...answerFields } = answer;
      const text = `${answerFields.text}${renderNotices(notices)}`;
      return { ...answerFields, text, ...noticeFields(notices), continuation };
    },
  });
}

/** Reads the files of a step, so that what cannot be read is refused now; the texts are not used. */
async function loadFiles(
  files: readonly FileArgument[] | undefined,
  fileIntake: FileIntake,
  context: ToolContext,
): Promise<Pick<LoadedFiles, 'kept' | 'notices'> | InputRequired> {
  if (files === undefined || files.length === 0) return { kept: [], notices: [] };
  return fileIntake.load(toFileInputs(files), { field: 'files' }, context);
}

function noThread(number: number): CallError {
  return new CallError(
    'validation',
    `"continuation_id" is missing: step ${number} continues a plan.`,
    {
      field: 'continuation_id',
      fix: 'Send the id from the result of step 1, or start with step 1.',
    },
  );
}

interface PlannerAnswer extends ToolResult {
  /** The text that the conversation stores. */
  readonly stored: string;
}

function paused(plan: StepPlan, { id }: Thread, via: WrapperName | undefined): PlannerAnswer {
  const { steps, totalSteps } = plan;
  const last = lastOf(plan);
  const number = steps.length;
  const status = pauseStatus(number, totalSteps);
  const total = Math.max(totalSteps, number + 1);
  const actions = requiredActions(status, number);
  const nextCall = {
    tool: NAME,
    arguments: {
      step: NEXT_STEP,
      step_number: number + 1,
      total_steps: total,
      next_step_required: number + 1 < total,
      ...(last?.branch !== undefined && { branch_id: last.branch }),
      continuation_id: id,
    },
  };
  const call =
    via === undefined ? `${NAME} with step ${number + 1}` : wrappedCallText(nextCall, via);
  const next = `Do what required_actions says, then call ${call}.`;
  const noted = `${describeStep(last)} is noted.`;
  return {
    status,
    stored: noted,
    text: [
      `${noted} ${number} of ${total} are told.`,
      `Before step ${number + 1}:`,
      ...actions.map((action) => `- ${action}`),
      ...(via === undefined ? [] : [`Then call ${call}.`]),
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
      next_call: throughWrapper(nextCall, via),
    },
  };
}

function completed(plan: StepPlan): PlannerAnswer {
  const tree = planTree(plan);
  const words = renderPlan(tree);
  const { branches, revisions } = countsOf(plan);
  const made = [
    formatCount(plan.steps.length - revisions, 'step', 'steps'),
    ...(branches > 0 ? [formatCount(branches, 'branch', 'branches')] : []),
    ...(revisions > 0 ? [formatCount(revisions, 'revision', 'revisions')] : []),
  ].join(', ');
  const text = `The plan is complete: ${made}.\n\n${words}`;
  return {
    status: COMPLETE,
    stored: text,
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

function countsOf({ steps }: StepPlan) {
  const branches = new Set(steps.flatMap(({ branch }) => branch ?? []));
  return {
    steps: steps.length,
    revisions: steps.filter(({ revises }) => revises !== undefined).length,
    branches: branches.size,
  };
}

function lastOf({ steps }: StepPlan): PlanStep | undefined {
  return steps.at(-1);
}

function describeStep(step: PlanStep | undefined): string {
  if (!step) return 'Nothing';
  const { number, revises, branch, from } = step;
  if (revises !== undefined) return `Step ${number}, which revises step ${revises},`;
  if (branch === undefined) return `Step ${number}`;
  return from === undefined
    ? `Step ${number}, on the branch "${branch}",`
    : `Step ${number}, which begins the branch "${branch}" at step ${from},`;
}

function formatCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

type PauseStatus = 'pause_for_deep_thinking' | 'pause_for_planning';

/** A plan of this many steps is large, and its first steps deserve more thought. */
const LARGE_FROM = 5;
const EARLY_STEPS = 3;

function pauseStatus(stepNumber: number, totalSteps: number): PauseStatus {
  const isEarly = stepNumber <= EARLY_STEPS && totalSteps >= LARGE_FROM;
  return isEarly ? 'pause_for_deep_thinking' : 'pause_for_planning';
}

/** What the caller should do before its next step. */
function requiredActions(pause: PauseStatus, stepNumber: number): readonly string[] {
  if (pause === 'pause_for_planning') {
    return [
      'Check that the step you just told still fits the ones before it; revise those that it changes.',
      'Work out the next step in detail: what is done, in which order, what it needs and how one sees that it worked.',
      'If there are two ways worth following, tell each as a branch.',
    ];
  }
  return EARLY[stepNumber - 1] ?? [];
}

const EARLY: readonly (readonly string[])[] = [
  [
    'Before you continue, write down the goal, who needs it, and how you will know that it is reached.',
    'List what limits the work: time, people, systems that must not change, what is not known yet.',
    'Think of at least two ways to get there that differ in kind, and what each would cost if it proved wrong.',
  ],
  [
    'Name the riskiest assumption of the plan so far, and how to test it early.',
    'Look for what the parts depend on, and which of them can only be done in a certain order.',
    'Decide which approach to follow and why; record another approach worth keeping as a branch.',
  ],
  [
    'Check the plan so far against the goal: what is missing, what is not needed.',
    'Consider what happens when a step fails: how it is detected, and how to recover.',
    'From here on make the steps concrete: each with a result that can be seen.',
  ],
];
