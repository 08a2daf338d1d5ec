import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import {
  EFFORTS,
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  type Effort,
  type ResponseFormat,
  type Sampling,
  type ToolChoice,
} from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { ESTIMATE_ERROR } from '#models/estimate-tokens.ts';
import type { Model, SamplingPolicy } from '#models/model.ts';
import { usualOutputTokens } from '#models/output-limit.ts';

/** Request fields that were written for an option, with notices. */
export interface RequestFields {
  readonly fields: JsonObject;
  readonly notices: readonly Notice[];
}

export const NO_FIELDS: RequestFields = { fields: {}, notices: [] };

export interface VendorRequest {
  readonly body: JsonObject;
  readonly notices: readonly Notice[];
  /** Names of the caller's tools in the request. */
  readonly tools: readonly string[];
}

/** The field `tool_choice`; left out for `auto`, the default. */
export function writeToolChoice(choice: ToolChoice = 'auto'): JsonObject {
  if (choice === 'auto') return {};
  if (typeof choice === 'string') return { tool_choice: choice };
  return { tool_choice: { type: 'function', function: { name: choice.name } } };
}

export function writeFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'json') return { response_format: { type: 'json_object' } };
  const { name, schema } = format;
  return { response_format: { type: 'json_schema', json_schema: { name, schema } } };
}

/** An upper bound of the prompt's tokens. */
export function promptBound(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[] | undefined,
): number {
  return Math.ceil(estimateChat(messages, tools) * (1 + ESTIMATE_ERROR));
}

/** `max_tokens` of a request that sets none. Nothing is known of a model that is only assumed. */
export function writeUsualMaxTokens(
  { messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>,
  model: Model,
): RequestFields {
  if (model.confidence === 'low') return NO_FIELDS;
  const usual = usualOutputTokens(model, promptBound(messages, tools));
  return usual === undefined ? NO_FIELDS : { fields: { max_tokens: usual }, notices: [] };
}

export function writeMaxTokens(
  requested: number | undefined,
  { title, maxOutputTokens }: Model,
): RequestFields {
  if (requested === undefined) return NO_FIELDS;
  if (requested <= maxOutputTokens) return { fields: { max_tokens: requested }, notices: [] };
  const lowered = {
    model: title,
    limit: maxOutputTokens,
    requested,
    reason: 'model',
  } as const;
  return {
    fields: { max_tokens: maxOutputTokens },
    notices: [notice('max_tokens_lowered', lowered)],
  };
}

/** Sampling fields in OpenAI's names, within the limits of the model. */
export function writeSampling(requested: Sampling = {}, model: Model): RequestFields {
  const fitted = clampSampling(requested, model, openAiSamplingRules(model.sampling));
  const { seed } = requested;
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw invalidNumber('seed');
  return {
    fields: { ...fitted.fields, ...(seed !== undefined && { seed }) },
    notices: [...fitted.notices, ...droppedParameterNotices(model, fitted)],
  };
}

/** The field and limits of a sampling option at a vendor. */
export interface SamplingRule {
  readonly option: keyof Sampling;
  readonly field: string;
  readonly limits: SamplingPolicy['temperature'];
}

interface ClampedSampling {
  readonly fields: Readonly<Record<string, number>>;
  /** One for each clamped value. */
  readonly notices: readonly Notice[];
  /** Options that the vendor does not allow to change. */
  readonly leftOut: readonly (keyof Sampling)[];
}

/** Sampling options within the limits of the model. Options without a rule are ignored. */
export function clampSampling(
  sampling: Sampling,
  { title }: Pick<Model, 'title'>,
  rules: readonly SamplingRule[],
): ClampedSampling {
  const fields: Record<string, number> = {};
  const notices: Notice[] = [];
  const leftOut: (keyof Sampling)[] = [];
  for (const { option, field, limits } of rules) {
    const value = sampling[option];
    if (value === undefined) continue;
    if (!Number.isFinite(value)) throw invalidNumber(option);
    if (limits === 'fixed') {
      leftOut.push(option);
      continue;
    }
    const { min, max } = limits;
    const near = Math.min(Math.max(value, min), max);
    if (near !== value)
      notices.push(
        notice('parameter_clamped', { model: title, parameter: option, min, max, sent: near }),
      );
    fields[field] = near;
  }
  return { fields, notices, leftOut };
}

/** Sampling rules with OpenAI's field names. */
export function openAiSamplingRules({
  temperature,
  topP,
  penalties,
}: SamplingPolicy): SamplingRule[] {
  return [
    { option: 'temperature', field: 'temperature', limits: temperature },
    { option: 'topP', field: 'top_p', limits: topP },
    { option: 'presencePenalty', field: 'presence_penalty', limits: penalties },
    { option: 'frequencyPenalty', field: 'frequency_penalty', limits: penalties },
  ];
}

export function droppedParameterNotices(
  { title }: Pick<Model, 'title'>,
  { leftOut }: ClampedSampling,
): readonly Notice[] {
  if (leftOut.length === 0) return [];
  const about = { model: title, parameters: leftOut, reason: 'unsupported' } as const;
  return [notice('parameter_dropped', about)];
}

function invalidNumber(option: keyof Sampling): CallError {
  return new CallError('validation', `${option} is not a number that can be sent.`, {
    field: `sampling.${option}`,
    fix: 'Give a number, or leave it out.',
  });
}

/**
 * The weakest supported effort that is strong enough, else the strongest. `known` is sorted,
 * weakest first.
 */
export function clampEffort(requested: Effort, known: readonly Effort[]): Effort | undefined {
  const enough = EFFORTS.indexOf(requested);
  return known.find((effort) => EFFORTS.indexOf(effort) >= enough) ?? known.at(-1);
}
