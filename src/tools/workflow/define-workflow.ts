import * as z from 'zod';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Tool } from '#core/tool.ts';
import { unread } from '../asking/given-files.ts';
import { CONFIDENCES, type WorkflowDefinition } from './definition.ts';
import { expertRequest } from './expert-request.ts';
import { runStep, type WorkflowDeps } from './run-step.ts';
import { advance } from './state.ts';
import { expertFields, stepFields, toGivenStep, type WorkflowArgs } from './step-fields.ts';

/** An expert thinks long. */
const TIMEOUT_MS = 180_000;

const Output = z.looseObject({
  status: z.string(),
  step_number: z.int(),
  total_steps: z.int(),
  next_step_required: z.boolean(),
  next_steps: z.string(),
});

/** A tool that works in steps. It holds nothing between calls: what a workflow knows is in its thread. */
export function defineWorkflow(definition: WorkflowDefinition, deps: WorkflowDeps): Tool {
  const { name, title, description, profile, category, fields } = definition;
  const asksExpert = definition.expert === 'asked';
  return defineTool({
    name,
    title,
    description,
    input: z.strictObject({
      ...stepFields,
      ...(asksExpert && expertFields),
      confidence: z.enum(definition.confidences ?? CONFIDENCES).optional(),
      ...fields,
    }),
    output: Output,
    effect: 'changes',
    idempotent: false,
    openWorld: asksExpert,
    category,
    profile,
    coalesce: false,
    ...(asksExpert && { lane: 'provider', timeoutMs: TIMEOUT_MS }),
    ...(asksExpert && {
      wouldAsk: (args) => wouldAsk(definition, args as WorkflowArgs, deps.locale),
    }),
    run: (args, context) => runStep(definition, args as WorkflowArgs, deps, context),
  });
}

/** What the expert would be asked if this were the only step; nothing is read for it. */
function wouldAsk(definition: WorkflowDefinition, args: WorkflowArgs, locale: string) {
  const { step, totalSteps } = toGivenStep(args);
  const state = advance(undefined, { step: { ...step, number: 1 }, totalSteps });
  const files = step.relevantFiles.map(unread);
  const request = expertRequest(definition, args, state, files, locale);
  const more = args.next_step_required ? ('yes' as const) : ('no' as const);
  return { ...request, step: { ...request.step, more } };
}
