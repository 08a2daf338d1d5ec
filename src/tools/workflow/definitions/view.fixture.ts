import * as z from 'zod';
import type { StepArgs, StepView, WorkflowDefinition } from '../definition.ts';

/** Arguments without a default. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  tracer: { target_description: 'The function pay', trace_mode: 'precision' },
};

export function schemaOf({ fields }: WorkflowDefinition) {
  return z.strictObject(fields);
}

/** A definition's own arguments as in a call. */
export function parseFields(
  definition: WorkflowDefinition,
  given: Readonly<Record<string, unknown>> = {},
) {
  return schemaOf(definition).parse({ ...NEEDED[definition.name], ...given });
}

/** A step as a definition sees it, after as many others as its number says. */
export function viewOf(
  definition: WorkflowDefinition,
  step: Partial<StepArgs>,
  given: Readonly<Record<string, unknown>> = {},
): StepView<Record<string, unknown>> {
  const args = {
    step: 'Look.',
    step_number: 1,
    total_steps: 5,
    next_step_required: true,
    findings: 'Nothing yet.',
    ...step,
    ...parseFields(definition, given),
  };
  const steps = Array.from({ length: args.step_number }, (_, index) => ({
    number: index + 1,
    step: args.step,
    findings: args.findings,
    filesChecked: [],
    relevantFiles: [],
    relevantContext: [],
    issues: [],
  }));
  return { args, state: { steps, totalSteps: args.total_steps, isOver: false } };
}
