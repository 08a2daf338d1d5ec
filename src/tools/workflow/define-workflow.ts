import * as z from 'zod';
import { defineTool } from '#core/define-tool.schema.ts';
import type { Tool } from '#core/tool.ts';
import { CONFIDENCES, type WorkflowDefinition } from './definition.ts';
import { workflowHelp } from './help.ts';
import { withoutDefaults } from './lasting-fields.ts';
import { runStep, type WorkflowDeps } from './run-step.ts';
import { expertFields, stepFields, type WorkflowArgs } from './step-fields.ts';
import { wouldAsk } from './would-ask.ts';

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
    help: workflowHelp(definition),
    input: z.strictObject({
      ...stepFields,
      ...(asksExpert && expertFields),
      confidence: z.enum(definition.confidences ?? CONFIDENCES).optional(),
      ...withoutDefaults(fields),
    }),
    output: Output,
    // All it changes is its own conversation, which no user need be asked about; but sent twice it is said twice.
    effect: 'reads',
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
