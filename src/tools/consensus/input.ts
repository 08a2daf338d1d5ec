import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import { toMicroUsd } from '#core/text/money.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import * as fields from '../shared/fields.ts';
import { readAskRequest } from '../shared/read-ask-request.ts';
import { choosePanel, readPanelists, STANCES, type Panelist } from './panel.ts';
import { quorumOf } from './result.ts';

const MIN_PANELISTS = 2;
const MAX_PANELISTS = 8;
const MAX_NAME_CHARS = 256;
const MAX_PART_CHARS = 20_000;
const MAX_PATHS = 1_000;
const MAX_PATH_CHARS = 4_096;
const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3_600;

/**
 * Limits that are validated but not listed in the schema, because every listed word is sent to a
 * model with every question.
 */
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
    .min(MIN_PANELISTS)
    .max(MAX_PANELISTS)
    .optional()
    .describe('Models, optionally with a stance (default: three are chosen).'),
  rounds: z.literal([1, 2]).default(1).describe('2: each sees the others and may change.'),
  quorum: count.optional().describe('How many must answer (default: more than half).'),
  per_model_seconds: seconds.default(DEFAULT_SECONDS),
  relevant_files: paths.optional(),
  files: fields.filesField.optional(),
  images: fields.imagesField.optional(),
  use_websearch: fields.webSearchField.optional(),
  temperature: fields.temperatureField.optional(),
  max_cost_usd: fields.maxCostField.optional(),
  continuation_id: fields.continuationField.optional(),
  // Arguments of clients of older servers: `step` is the question, and `findings` are the client's
  // own view.
  step: z.string().optional(),
  step_number: z.number().optional(),
  total_steps: z.number().optional(),
  next_step_required: z.boolean().optional(),
  findings: z.string().optional(),
};

export type ConsensusArgs = z.output<z.ZodObject<typeof consensusFields>>;

type Directory = Pick<ModelDirectory, 'models' | 'providers' | 'resolve'>;

/**
 * The request of the question. Steps and findings are ignored: findings are the caller's opinion
 * and would bias the panel.
 */
export function readQuestion(args: ConsensusArgs): AskRequest {
  const { prompt, step, images, use_websearch, temperature } = args;
  if (prompt === undefined && step === undefined) {
    throw new CallError('validation', '"prompt" is missing.', {
      field: 'prompt',
      fix: 'Say what they are to judge, with all the context it needs.',
    });
  }
  const { step: _, ...request } = readAskRequest({
    prompt,
    step,
    images,
    use_websearch,
    temperature,
  });
  return request;
}

export function readPanel(
  { models, images = [] }: ConsensusArgs,
  modelDirectory: Directory,
): readonly Panelist[] {
  const named = models ?? choosePanel(modelDirectory, { withImages: images.length > 0 });
  return readPanelists(
    named.map((each) => (typeof each === 'string' ? { model: each } : each)),
    modelDirectory,
  );
}

export function readQuorum({ quorum }: ConsensusArgs, panelists: readonly Panelist[]): number {
  if (quorum !== undefined && quorum > panelists.length) {
    const message = `"quorum" is ${quorum}, and ${panelists.length} are asked.`;
    const fix = `Give at most ${panelists.length}, or leave it out: then more than half have to answer.`;
    throw new CallError('validation', message, { field: 'quorum', fix });
  }
  return quorumOf(panelists.length, quorum);
}

export function attachedFiles({ relevant_files: relevant = [], files = [] }: ConsensusArgs) {
  return [...relevant, ...files];
}

export function readCostLimit({ max_cost_usd: limit }: ConsensusArgs): number | undefined {
  return limit === undefined ? undefined : toMicroUsd(limit);
}
