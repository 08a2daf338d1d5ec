import * as z from 'zod';
import type { AskRequest } from '#core/llm/ask.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { NoAsk, Tool } from '#core/tools/tool.ts';
import { previewFiles, unreadFile } from '../shared/attachments.ts';
import { decideStep, type StepDecision } from './decide-step.ts';
import { CONFIDENCES, type WorkflowDefinition } from './definition.ts';
import { expertRequest } from './expert-request.ts';
import { runStep, type WorkflowDeps } from './run-step.ts';
import { advanceWorkflow } from './state.ts';
import {
  expertFields,
  stepFields,
  toStepInput,
  type GivenArgs,
  type WorkflowArgs,
} from './step-fields.ts';
import { withoutDefaults, withStickyFields } from './sticky-fields.ts';

const TIMEOUT_MS = 180_000;

const Output = z.looseObject({
  status: z.string(),
  step_number: z.int(),
  total_steps: z.int(),
  next_step_required: z.boolean(),
  next_steps: z.string(),
});

/** Defines a tool that works in steps. It holds no state: a workflow's state is in its thread. */
export function defineWorkflow(definition: WorkflowDefinition, deps: WorkflowDeps): Tool {
  const { name, title, description, profile, category, fields } = definition;
  const asksExpert = definition.expert === 'asked';
  return defineTool({
    name,
    title,
    description,
    help: workflowHelp(definition),
    input: z.strictObject({
      ...stepFields,
      ...(asksExpert && expertFields),
      confidence: z.enum(definition.confidences ?? CONFIDENCES).optional(),
      ...withoutDefaults(fields),
    }),
    output: Output,
    // It changes only its own conversation, so it needs no approval, but it is not idempotent.
    effect: 'reads',
    idempotent: false,
    openWorld: asksExpert,
    category,
    profile,
    coalesce: false,
    ...(asksExpert && { pool: 'provider', timeoutMs: TIMEOUT_MS }),
    ...(asksExpert && {
      previewAsk: (args) => previewExpertRequest(definition, args as GivenArgs, deps.locale),
    }),
    run: (args, context) => runStep(definition, args as GivenArgs, deps, context),
  });
}

/**
 * The request that the expert would get if this were the only step, or why none would be asked.
 * Reads no file.
 */
function previewExpertRequest(
  definition: WorkflowDefinition,
  all: GivenArgs,
  locale: string,
): AskRequest | NoAsk {
  const relevant = previewFiles(all.relevant_files);
  const given: WorkflowArgs = { ...all, relevant_files: relevant.map(({ name }) => name) };
  const { step, totalSteps } = toStepInput(definition, given, []);
  const state = advanceWorkflow(undefined, { step: { ...step, number: 1 }, totalSteps });
  const args = withStickyFields(definition, given, state.steps);
  const decision = decideStep(definition, args, state);
  if (decision.is !== 'expert' && !isForEarlierSteps(decision, args)) {
    return { noAskBecause: whyNoExpert(decision) };
  }
  const files = [
    ...relevant,
    ...(definition.gather ? [unreadFile(`[what ${definition.name} reads by itself]`)] : []),
  ];
  return expertRequest(definition, args, state, files, locale);
}

/**
 * Whether earlier steps, which only the thread knows, may have findings although the last one has
 * none.
 */
function isForEarlierSteps(decision: StepDecision, args: WorkflowArgs): boolean {
  return args.step_number > 1 && decision.is === 'end' && decision.status === 'local_work_complete';
}

function whyNoExpert(decision: Exclude<StepDecision, { is: 'expert' }>): string {
  switch (decision.is) {
    case 'pause':
      return 'more steps are to come (next_step_required is true)';
    case 'hold':
      return `something has to be done first (${decision.hold.status})`;
    case 'end':
      return decision.because;
  }
}

/** Renders the help of a workflow for `search_tools`. */
function workflowHelp(definition: WorkflowDefinition): string {
  return [
    describeUse(definition),
    ['Statuses:', ...statusLines(definition).map((line) => `- ${line}`)].join('\n'),
    describeOutput(definition),
  ].join('\n\n');
}

function describeUse(definition: WorkflowDefinition): string {
  const { expert, name } = definition;
  const reads =
    definition.gather === undefined
      ? ''
      : name === 'precommit'
        ? ' The changes are read from git at the first step and again at the end.'
        : ' What its arguments name is read at the first step and again at the end.';
  const end =
    expert === 'asked'
      ? 'The last step (next_step_required false) hands all of it to an expert model.'
      : 'The last step (next_step_required false) puts all of it together; no model is asked.';
  const isOwn = Object.keys(definition.fields).length > 0;
  const lasting = isOwn
    ? ' What its own arguments said in one step holds for later steps that leave them out.'
    : '';
  return `How it works: you do the work, and call once for each step with what you did and found. Each answer says what to look at before the next.${lasting} ${end}${reads}`;
}

function statusLines(definition: WorkflowDefinition): readonly string[] {
  const { name, stem, expert } = definition;
  const held = definition.hold ? HOLDS[name] : undefined;
  return [
    `pause_for_${stem}: the step is saved. Do what required_actions says, then call as next_call shows.`,
    ...(held === undefined ? [] : [held]),
    ...(expert === 'asked' ? expertLines(definition) : [`${stem}_complete: the workflow ends.`]),
  ];
}

function expertLines(definition: WorkflowDefinition): readonly string[] {
  const { name, stem, ready, confidences = CONFIDENCES } = definition;
  const top = confidences.at(-1) ?? '';
  const own = definition.skips ? ', or its arguments asked for no expert' : '';
  return [
    'calling_expert_analysis: the expert has answered, and the workflow ends. expert_analysis has its summary, findings and next_steps; findings has yours and its own.',
    'files_required_to_continue (or another word of the expert for it): it cannot judge yet. mandatory_instructions and files_needed say what it lacks; next_call brings it.',
    `${ready}: the workflow ends without an expert, as the confidence was ${top}${own}.`,
    `${stem}_complete: the same, as use_assistant_model was false.`,
    `local_work_complete: the same, as there was nothing that an expert could judge${name === 'precommit' ? ', such as no changes' : ''}.`,
    'analysis_partial, analysis_timeout, analysis_error: the expert did not finish its answer. The call itself succeeded: every step is saved, expert_analysis says what happened and holds what had come, and next_call asks again.',
  ];
}

function describeOutput({ name, stem, expert }: WorkflowDefinition): string {
  const findings = expert === 'asked' ? 'findings' : 'findings (what you gave as issues_found)';
  return `What comes back: content with status, step_number, total_steps, next_step_required and next_steps; while it continues required_actions, ${stem}_status and next_call; at the end ${findings} and complete_${name}. next_call is a template of the next call; replace the words in angle brackets. Every step after the first needs continuation_id; a refused step (validation, conflict) stores nothing.`;
}

/** Help for the statuses of `hold`, by workflow; a definition gives them only when run. */
const HOLDS: Readonly<Partial<Record<string, string>>> = {
  docgen:
    'documentation_analysis_required: it cannot end while num_files_documented and total_files_to_document differ. Document the next file and call again.',
  tracer:
    'mode_selection_required: trace_mode was ask. Do the step again with the one that required_actions helped you choose.',
};
