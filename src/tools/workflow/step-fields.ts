import * as z from 'zod';
import * as fields from '../shared/fields.ts';
import { SEVERITIES, type Finding } from './findings.ts';
import { isRootIndependent, resolveInRoot } from '../shared/attachment-paths.ts';
import type { StepArgs, WorkflowDefinition } from './definition.ts';
import { ownFields } from './sticky-fields.ts';
import type { StepInput, Step } from './state.ts';

/**
 * Arguments of every step. Limits keep one call from filling a thread; they are validated but not
 * listed, because every listed word is sent to a model with every question.
 */
const MAX_LISTED = 1_000;
const MAX_ISSUES = 500;
const MAX_NAME_CHARS = 4_096;
const MAX_LINE = 100_000_000;
const MAX_STEPS = 10_000;

function countField(max: number) {
  return z
    .number()
    .refine(
      (value) => Number.isInteger(value) && value >= 1 && value <= max,
      `it is a whole number from 1 to ${max}`,
    )
    .optional();
}

const names = z
  .array(z.string())
  .refine(
    (list) =>
      list.length <= MAX_LISTED &&
      list.every((name) => name.length > 0 && name.length <= MAX_NAME_CHARS),
    `it has at most ${MAX_LISTED} entries of 1 to ${MAX_NAME_CHARS} characters`,
  )
  .optional();

const files = z
  .array(fields.fileEntry)
  .refine((list) => list.length <= MAX_LISTED, `it has at most ${MAX_LISTED} entries`)
  .optional();

const issue = z.strictObject({
  severity: z.enum(SEVERITIES),
  description: z.string(),
  file: z.string().optional(),
  line: countField(MAX_LINE),
  fix: z.string().optional(),
});

/** Beside `confidence` and the fields of the definition. */
export const stepFields = {
  step: fields.stepField,
  step_number: fields.stepNumberField,
  total_steps: fields.totalStepsField,
  next_step_required: fields.nextStepField,
  findings: fields.findingsField,
  files_checked: names.describe('Paths looked at.'),
  relevant_files: files.describe('Files that matter, as paths or content; the expert reads them.'),
  relevant_context: names.describe('Functions and types that matter.'),
  issues_found: z
    .array(issue)
    .refine((list) => list.length <= MAX_ISSUES, `it has at most ${MAX_ISSUES} entries`)
    .optional(),
  hypothesis: z.string().optional(),
  backtrack_from_step: countField(MAX_STEPS).describe('Do this step again; drops later ones.'),
  depth: fields.depthField.optional(),
  use_assistant_model: z.boolean().default(true).describe('false: no expert at the end.'),
  continuation_id: fields.continuationField.optional(),
  model: fields.modelField.optional(),
};

/** Options for asking the expert. */
export const expertFields = {
  temperature: fields.temperatureField.optional(),
  thinking_mode: fields.thinkingField.optional(),
  use_websearch: fields.webSearchField.optional(),
  images: fields.imagesField.optional(),
  max_cost_usd: fields.maxCostField.optional(),
};

type StepOutput = z.output<z.ZodObject<typeof stepFields>>;
type OtherArgs = Omit<StepOutput, 'relevant_files'> & z.output<z.ZodObject<typeof expertFields>>;

/** The arguments as a caller gives them. */
export type GivenArgs = OtherArgs &
  Pick<StepOutput, 'relevant_files'> &
  Omit<StepArgs, 'relevant_files'> &
  Readonly<Record<string, unknown>>;

/** All arguments that the engine uses; files that came as content are URIs of stored files. */
export type WorkflowArgs = OtherArgs & StepArgs & Readonly<Record<string, unknown>>;

/** A step with the root of its relative paths, because later steps may come from another folder. */
export function toStepInput(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  roots: readonly string[],
): StepInput {
  const { confidence, hypothesis = '' } = args;
  const { files_checked: filesChecked = [], relevant_files: relevantFiles = [] } = args;
  const [root] = roots;
  const isRelative = [...filesChecked, ...relevantFiles].some((path) => !isRootIndependent(path));
  const fields = placedFields(definition, args, roots);
  const step: Step = {
    number: args.step_number,
    step: args.step,
    findings: args.findings,
    ...(confidence !== undefined && { confidence }),
    ...(/\S/.test(hypothesis) && { hypothesis }),
    filesChecked,
    relevantFiles,
    relevantContext: args.relevant_context ?? [],
    issues: (args.issues_found ?? []).map(toFinding),
    ...(isRelative && root !== undefined && { root }),
    ...(Object.keys(fields).length > 0 && { fields }),
  };
  return { step, totalSteps: args.total_steps, backtrackFrom: args.backtrack_from_step };
}

function placedFields(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  roots: readonly string[],
) {
  const fields = ownFields(definition, args);
  const { folder = '' } = definition.subject ?? {};
  const path = fields[folder];
  return typeof path === 'string' ? { ...fields, [folder]: resolveInRoot(path, roots) } : fields;
}

function toFinding({ severity, description, file, line, fix }: z.output<typeof issue>): Finding {
  return {
    severity,
    description,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(fix !== undefined && { fix }),
  };
}
