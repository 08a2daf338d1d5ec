import * as z from 'zod';
import { argumentError } from '#core/errors/argument-error.schema.ts';
import type { AskRequest, AskText } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatTool } from '#core/llm/chat.ts';
import { asObject } from '#core/json/json.ts';
import { toMicroUsd } from '#core/text/money.ts';
import { didYouMean } from '#core/text/text.ts';
import type { StepFacts } from '#core/llm/route.ts';
import * as fields from './fields.ts';
import { previewFiles, previewImages } from './attachments.ts';

/** Loose, because each tool has arguments beyond these. */
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
 * Builds the request to a model from the arguments that tools share. Reads no file: a named file or
 * picture is a placeholder that the caller replaces with its content. Throws `validation` with the wrong
 * field.
 */
export function readAskRequest(args: Readonly<Record<string, unknown>>): AskRequest {
  const { success, data: parsed, error } = Shared.safeParse(args);
  if (!success) throw argumentError('The tool', error, args, Shared);
  const { tools, temperature, max_cost_usd: maxCostUsd } = parsed;
  const model = parsed.model?.trim() ?? '';
  const system = parsed.system_prompt ?? '';
  const step = stepFacts(parsed);
  const files = materialOf(parsed);
  return {
    ...(model !== '' && { model }),
    ...(system.trim() !== '' && { system }),
    messages: [userMessage(parsed)],
    ...(files.length > 0 && { files }),
    ...(parsed.use_websearch !== undefined && { search: searchMode(parsed.use_websearch) }),
    ...(parsed.thinking_mode && { thinking: parsed.thinking_mode }),
    ...(parsed.prefer && { prefer: parsed.prefer }),
    ...(parsed.fallback && { fallback: parsed.fallback }),
    ...(tools && tools.length > 0 && { tools: tools.map(chatTool) }),
    ...(temperature !== undefined && { sampling: { temperature } }),
    ...(parsed.max_output_tokens !== undefined && { maxOutputTokens: parsed.max_output_tokens }),
    ...(step && { step }),
    ...(maxCostUsd !== undefined && { maxCostMicroUsd: toMicroUsd(maxCostUsd) }),
  };
}

function userMessage(parsed: SharedArgs): ChatMessage {
  const text = questionText(parsed);
  const { images = [] } = parsed;
  if (images.length === 0) return { role: 'user', content: text };
  const pictures = previewImages(images);
  return {
    role: 'user',
    content: text === '' ? pictures : [{ type: 'text', text }, ...pictures],
  };
}

const QUESTIONS = ['prompt', 'question', 'step'] as const;

/** The question. Tools name it differently; two of the names at once are an error. */
function questionText(parsed: SharedArgs): string {
  const [name, other] = QUESTIONS.filter((each) => parsed[each] !== undefined);
  if (name !== undefined && other !== undefined) {
    throw new CallError('validation', `"${name}" and "${other}" are two names for one thing.`, {
      field: other,
      fix: 'Give one of them.',
    });
  }
  if (name === undefined) {
    if ((parsed.images ?? []).length > 0) return '';
    const [near = ''] = Object.keys(parsed)
      .filter((key) => !Object.hasOwn(Shared.shape, key))
      .map((key) => didYouMean(key, QUESTIONS) && ` There is "${key.slice(0, 64)}"; is that it?`)
      .filter((hint) => hint !== '');
    throw new CallError('validation', `"prompt" is missing.${near}`, {
      field: 'prompt',
      fix: 'Say what is asked; tools that work in steps call it step.',
    });
  }
  return parsed[name] ?? '';
}

/**
 * Material for the question. It is kept apart from the question so that nothing in it can pass for
 * the question.
 */
function materialOf({ files, step, findings = '' }: SharedArgs): readonly AskText[] {
  const isFound = step !== undefined && findings.trim() !== '';
  const found: AskText = { name: FINDINGS, text: findings, as: 'material' };
  return [...previewFiles(files), ...(isFound ? [found] : [])];
}

/** Names made by EX-AI are in brackets. */
const FINDINGS = '[findings]';

function searchMode(value: boolean | 'auto'): NonNullable<AskRequest['search']> {
  if (value === 'auto') return value;
  return value ? 'on' : 'off';
}

/** Undefined for a call that does not work in steps. */
function stepFacts(parsed: SharedArgs): StepFacts | undefined {
  const { step, step_number: number, total_steps: total, depth } = parsed;
  const isStep = [step, number, total, depth, parsed.next_step_required].some(
    (each) => each !== undefined,
  );
  if (!isStep) return undefined;
  return {
    ...(number !== undefined && { number }),
    more: moreSteps(parsed),
    ...(depth && { depth }),
  };
}

/** `next_step_required` decides; without it, the step numbers do. */
function moreSteps({
  next_step_required: next,
  step_number: number,
  total_steps: total,
}: SharedArgs): StepFacts['more'] {
  if (next !== undefined) return next ? 'yes' : 'no';
  if (number === undefined || total === undefined) return 'unknown';
  return number < total ? 'yes' : 'no';
}

type ToolArgument = NonNullable<SharedArgs['tools']>[number];

function chatTool(parsed: ToolArgument): ChatTool {
  const entry = readToolEntry(parsed);
  return typeof entry === 'string' ? { name: entry, description: entry, parameters: NONE } : entry;
}

/** An entry of a list of tools: a name, or a function. */
export function readToolEntry(parsed: ToolArgument): string | ChatTool {
  if (typeof parsed === 'string') return parsed;
  const { function: wrapped } = parsed;
  const isWrapped = typeof asObject(wrapped)?.['name'] === 'string';
  const {
    name,
    description = '',
    parameters,
  } = (isWrapped ? wrapped : parsed) as {
    name: string;
    description?: string;
    parameters?: ChatTool['parameters'];
  };
  return { name, description, parameters: parameters ?? NONE };
}

const NONE = { type: 'object', properties: {} } as const;
