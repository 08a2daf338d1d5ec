import * as z from 'zod';
import * as fields from '../asking/fields.ts';
import { STANCES } from './voice.ts';

const MIN_VOICES = 2;
const MAX_VOICES = 8;
const MAX_NAME_CHARS = 256;
const MAX_PART_CHARS = 20_000;
const MAX_PATHS = 1_000;
const MAX_PATH_CHARS = 4_096;
const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3_600;

/** Bounds that are checked and not listed: every listed word is sent to a model with every question. */
const part = z
  .string()
  .refine((text) => text.length <= MAX_PART_CHARS, `it has at most ${MAX_PART_CHARS} characters`);
const paths = z
  .array(z.string())
  .refine(
    (list) =>
      list.length <= MAX_PATHS &&
      list.every((path) => path.length > 0 && path.length <= MAX_PATH_CHARS),
    `it has at most ${MAX_PATHS} entries of 1 to ${MAX_PATH_CHARS} characters`,
  );
const seconds = z
  .number()
  .refine((value) => value >= 1 && value <= MAX_SECONDS, `it is a number from 1 to ${MAX_SECONDS}`);
const count = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value >= 1, 'it is a whole number from 1 on');

export const consensusFields = {
  prompt: fields.promptField.optional(),
  models: z
    .array(
      z.union([
        z.string().max(MAX_NAME_CHARS),
        z.strictObject({
          model: z.string().max(MAX_NAME_CHARS),
          stance: z.enum(STANCES).optional(),
          stance_prompt: part.optional(),
        }),
      ]),
    )
    .min(MIN_VOICES)
    .max(MAX_VOICES)
    .optional()
    .describe('Who is asked: names, or with a stance; three are chosen unless told.'),
  rounds: z.literal([1, 2]).default(1).describe('2: each sees the others and may change.'),
  quorum: count.optional().describe('How many must answer; more than half unless told.'),
  per_model_seconds: seconds.default(DEFAULT_SECONDS),
  relevant_files: paths.optional(),
  files: fields.filesField.optional(),
  images: fields.imagesField.optional(),
  use_websearch: fields.webSearchField.optional(),
  temperature: fields.temperatureField.optional(),
  max_cost_usd: fields.maxCostField.optional(),
  continuation_id: fields.continuationField.optional(),
  // What clients of older servers send: the step is the question, and the findings are their own view.
  step: z.string().optional(),
  step_number: z.number().optional(),
  total_steps: z.number().optional(),
  next_step_required: z.boolean().optional(),
  findings: z.string().optional(),
};

export type ConsensusArgs = z.output<z.ZodObject<typeof consensusFields>>;
