import * as z from 'zod';
import { argumentError } from '#core/argument-error.schema.ts';
import type { AskRequest, AskText } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatPart, ChatTool } from '#core/chat.ts';
import { toMicroUsd } from '#core/money.ts';
import { didYouMean } from '#core/nearest.ts';
import type { StepFacts } from '#core/route.ts';
import * as fields from './fields.ts';
import { givenFiles, unread } from './given-files.ts';
import { imageSource } from './image.ts';

/** Loose: what a tool takes beside these is its own affair. */
const Shared = z.looseObject({
  prompt: fields.promptField.optional(),
  question: fields.questionField.optional(),
  step: fields.stepField.optional(),
  findings: fields.findingsField.optional(),
  system_prompt: fields.systemPromptField.optional(),
  model: fields.modelField.optional(),
  use_websearch: fields.webSearchField.optional(),
  thinking_mode: fields.thinkingField.optional(),
  temperature: fields.temperatureField.optional(),
  max_output_tokens: fields.maxOutputField.optional(),
  files: fields.filesField.optional(),
  images: fields.imagesField.optional(),
  step_number: fields.stepNumberField.optional(),
  total_steps: fields.totalStepsField.optional(),
  next_step_required: fields.nextStepField.optional(),
  depth: fields.depthField.optional(),
  prefer: fields.preferField.optional(),
  fallback: fields.fallbackField.optional(),
  max_cost_usd: fields.maxCostField.optional(),
  tools: fields.toolsField.optional(),
});
type SharedArgs = z.output<typeof Shared>;

/**
 * What is asked of a model, from the arguments that tools have in common. Nothing is read for it: a named file is there by its
 * name, and whoever asks in earnest puts what it holds in its place. Throws `validation` with the field that is wrong.
 */
export function readAskRequest(args: Readonly<Record<string, unknown>>): AskRequest {
  const { success, data: given, error } = Shared.safeParse(args);
  if (!success) throw argumentError('The tool', error, args, Shared);
  const { tools, temperature, max_cost_usd: maxCostUsd } = given;
  const model = given.model?.trim() ?? '';
  const system = given.system_prompt ?? '';
  const step = stepFacts(given);
  const files = materialOf(given);
  return {
    ...(model !== '' && { model }),
    ...(system.trim() !== '' && { system }),
    messages: [userMessage(given)],
    ...(files.length > 0 && { files }),
    ...(given.use_websearch !== undefined && { search: searchWish(given.use_websearch) }),
    ...(given.thinking_mode && { thinking: given.thinking_mode }),
    ...(given.prefer && { prefer: given.prefer }),
    ...(given.fallback && { fallback: given.fallback }),
    ...(tools && tools.length > 0 && { tools: tools.map(chatTool) }),
    ...(temperature !== undefined && { sampling: { temperature } }),
    ...(given.max_output_tokens !== undefined && { maxOutputTokens: given.max_output_tokens }),
    ...(step && { step }),
    ...(maxCostUsd !== undefined && { maxCostMicroUsd: toMicroUsd(maxCostUsd) }),
  };
}

function userMessage(given: SharedArgs): ChatMessage {
  const text = questionText(given);
  const { images = [] } = given;
  if (images.length === 0) return { role: 'user', content: text };
  const pictures = images.flatMap((image): ChatPart[] => {
    const source = imageSource(image);
    return source ? [{ type: 'image', source }] : [];
  });
  return {
    role: 'user',
    content: text === '' ? pictures : [{ type: 'text', text }, ...pictures],
  };
}

const QUESTIONS = ['prompt', 'question', 'step'] as const;

/** Each tool has its own name for what is asked; two of them at once are two questions. */
function questionText(given: SharedArgs): string {
  const [name, other] = QUESTIONS.filter((each) => given[each] !== undefined);
  if (name !== undefined && other !== undefined) {
    throw new CallError('validation', `"${name}" and "${other}" are two names for one thing.`, {
      field: other,
      fix: 'Give one of them.',
    });
  }
  if (name === undefined) {
    if ((given.images ?? []).length > 0) return '';
    const [near = ''] = Object.keys(given)
      .filter((key) => !Object.hasOwn(Shared.shape, key))
      .map((key) => didYouMean(key, QUESTIONS) && ` There is "${key.slice(0, 64)}"; is that it?`)
      .filter((hint) => hint !== '');
    throw new CallError('validation', `"prompt" is missing.${near}`, {
      field: 'prompt',
      fix: 'Say what is asked; tools that work in steps call it step.',
    });
  }
  return given[name] ?? '';
}

/** What it is about stands apart from what is asked, so that nothing in it can pass for the question. */
function materialOf({ files, step, findings = '' }: SharedArgs): readonly AskText[] {
  const { paths, texts } = givenFiles(files);
  const isFound = step !== undefined && findings.trim() !== '';
  const found: AskText = { name: FINDINGS, text: findings, as: 'material' };
  return [...paths.map(unread), ...texts, ...(isFound ? [found] : [])];
}

/** Our own names are in brackets. */
const FINDINGS = '[findings]';

function searchWish(wish: boolean | 'auto'): NonNullable<AskRequest['search']> {
  if (wish === 'auto') return wish;
  return wish ? 'on' : 'off';
}

/** Nothing for who speaks of no steps. */
function stepFacts(given: SharedArgs): StepFacts | undefined {
  const { step, step_number: number, total_steps: total, depth } = given;
  const isStep = [step, number, total, depth, given.next_step_required].some(
    (each) => each !== undefined,
  );
  if (!isStep) return undefined;
  return {
    ...(number !== undefined && { number }),
    more: moreSteps(given),
    ...(depth && { depth }),
  };
}

/** What is said outright counts; the figures speak where nothing is. */
function moreSteps({
  next_step_required: next,
  step_number: number,
  total_steps: total,
}: SharedArgs): StepFacts['more'] {
  if (next !== undefined) return next ? 'yes' : 'no';
  if (number === undefined || total === undefined) return 'unknown';
  return number < total ? 'yes' : 'no';
}

type GivenTool = NonNullable<SharedArgs['tools']>[number];

function chatTool(given: GivenTool): ChatTool {
  if (typeof given === 'string') return { name: given, description: given, parameters: NONE };
  const inner = 'function' in given ? given.function : given;
  const {
    name,
    description = '',
    parameters,
  } = inner as {
    name: string;
    description?: string;
    parameters?: ChatTool['parameters'];
  };
  return { name, description, parameters: parameters ?? NONE };
}

const NONE = { type: 'object', properties: {} } as const;
