import type { AskRequest } from '#core/llm/ask.ts';
import type { ResponseFormat, Sampling } from '#core/llm/chat.ts';
import type { Mutable } from '#core/mutable.ts';
import type { ParsedChat } from '../gateway/dialect.ts';
import {
  fieldError,
  isAbsent,
  isJsonObject,
  readBodyObject,
  readBoolean,
  readEffort,
  readInteger,
  readNumber,
  readObject,
  readTokenLimit,
  type EffortName,
  type JsonFields,
} from '../gateway/fields.ts';
import { readModelName } from '../gateway/model-name.ts';
import { readAnswerSchema } from '../gateway/read-schema.ts';
import { readBodyOptions, type GatewayRequestOptions } from '../gateway/request-options.ts';
import { readStopTexts } from '../gateway/stop-texts.ts';
import { readOpenAiMessages } from './messages.ts';
import { readOpenAiTools } from './tools.ts';
import { createOpenAiStreamWriter } from './stream-writer.ts';
import { writeOpenAiResponse } from './chat-response.ts';

export const MAX_CHOICES = 8;
const EFFORTS: readonly EffortName[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Reads the body of `POST /v1/chat/completions`. */
export function readOpenAiChat(value: unknown, options: GatewayRequestOptions): ParsedChat {
  const body = readBodyObject(value, '{"model": "auto", "messages": […]}');
  rejectUnsupported(body);
  const delivery = readBoolean(body['stream'], 'stream') ? 'stream' : 'whole';
  const { messages, addedTools } = readOpenAiMessages(body['messages']);
  const { tools, choice, style } = readOpenAiTools(body, addedTools);
  readBoolean(body['parallel_tool_calls'], 'parallel_tool_calls');
  const ask: Mutable<AskRequest> = {
    model: readModelName(body['model']),
    messages,
    search: wantsSearch(body['web_search_options']) ? 'on' : 'off',
    // No extractive fallback and no shortened prompt: an app could not tell them from a real
    // answer.
    lastResort: 'none',
    context: 'whole',
    delivery,
  };
  const thinking = readEffort(body['reasoning_effort'], 'reasoning_effort', EFFORTS);
  const responseFormat = readOpenAiFormat(body['response_format']);
  const sampling = readSampling(body);
  const stop = readStops(body['stop']);
  const maxOutputTokens = readMaxTokens(body);
  if (tools) ask.tools = tools;
  if (choice !== undefined) ask.toolChoice = choice;
  if (thinking) ask.thinking = thinking;
  if (responseFormat) ask.responseFormat = responseFormat;
  if (sampling) ask.sampling = sampling;
  if (stop) ask.stop = stop;
  if (maxOutputTokens !== undefined) ask.maxOutputTokens = maxOutputTokens;
  Object.assign(ask, readBodyOptions(body['exai']), options);

  const choices = readInteger(body['n'], 'n', 1, MAX_CHOICES) ?? 1;
  const includeUsage = wantsUsage(body['stream_options']);
  return {
    chat: { ask, choices },
    delivery,
    renderResponse: (finished) => writeOpenAiResponse(finished, style),
    createWriter: () => createOpenAiStreamWriter({ choices, includeUsage, style }),
  };
}

function wantsSearch(value: unknown): boolean {
  if (isAbsent(value)) return false;
  if (isJsonObject(value)) return true;
  const message = 'web_search_options must be an object.';
  throw fieldError('web_search_options', message, 'Send {} to search, or leave it out.');
}

/** Whether a stream ends with its usage. */
export function wantsUsage(value: unknown): boolean {
  if (isAbsent(value)) return false;
  const { include_usage: included } = readObject(value, 'stream_options');
  return readBoolean(included, 'stream_options.include_usage') === true;
}

const MAX_STOPS = 4;
const MAX_PENALTY = 2;

/** The sampling parameters; undefined if there are none. */
export function readSampling(body: JsonFields): Sampling | undefined {
  const temperature = readNumber(body['temperature'], 'temperature', 0, 2);
  const topP = readNumber(body['top_p'], 'top_p', 0, 1);
  const presence = readPenalty(body['presence_penalty'], 'presence_penalty');
  const frequency = readPenalty(body['frequency_penalty'], 'frequency_penalty');
  const seed = readInteger(body['seed'], 'seed', Number.MIN_SAFE_INTEGER);
  const first = temperature ?? topP ?? presence ?? frequency ?? seed;
  if (first === undefined) return undefined;
  const sampling: Mutable<Sampling> = {};
  if (temperature !== undefined) sampling.temperature = temperature;
  if (topP !== undefined) sampling.topP = topP;
  if (presence !== undefined) sampling.presencePenalty = presence;
  if (frequency !== undefined) sampling.frequencyPenalty = frequency;
  if (seed !== undefined) sampling.seed = seed;
  return sampling;
}

function readPenalty(value: unknown, field: string): number | undefined {
  return readNumber(value, field, -MAX_PENALTY, MAX_PENALTY);
}

/** The limit of the answer, by its older or newer name. */
function readMaxTokens(body: JsonFields): number | undefined {
  const older = readTokenLimit(body['max_tokens'], 'max_tokens');
  const newer = readTokenLimit(body['max_completion_tokens'], 'max_completion_tokens');
  if (older !== undefined && newer !== undefined && older !== newer) {
    const message = 'max_tokens and max_completion_tokens are both given, and differ.';
    throw fieldError(
      'max_tokens',
      message,
      'Send one of them; max_completion_tokens is the newer.',
    );
  }
  return newer ?? older;
}

/** The stop texts; undefined if there are none. */
export function readStops(value: unknown): readonly string[] | undefined {
  if (isAbsent(value)) return undefined;
  return readStopTexts(value, 'stop', MAX_STOPS);
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const FIELD = 'response_format.json_schema';

/** The response format; undefined for plain text. */
function readOpenAiFormat(value: unknown): ResponseFormat | undefined {
  if (isAbsent(value)) return undefined;
  const { type, json_schema: named } = readObject(value, 'response_format');
  switch (type) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return readNamedSchema(named);
    default: {
      const fix = 'Send text, json_object or json_schema.';
      throw fieldError('response_format.type', 'There is no such format.', fix);
    }
  }
}

function readNamedSchema(value: unknown): ResponseFormat {
  const { name, schema } = readObject(value, FIELD);
  if (typeof name !== 'string' || !NAME.test(name)) {
    const fix = 'Use 1 to 64 letters, digits, _ and -.';
    throw fieldError(`${FIELD}.name`, 'The schema has no name, or one with other characters.', fix);
  }
  return { type: 'json_schema', name, schema: readAnswerSchema(schema, `${FIELD}.schema`) };
}

/**
 * Rejects parameters that are not supported and whose absence in the answer would go unnoticed.
 * Mere hints (`store`, `metadata`, `service_tier`, `prompt_cache_key`, `verbosity`, `prediction`,
 * …) are ignored.
 */
function rejectUnsupported(body: JsonFields): void {
  const { logprobs, top_logprobs: top, logit_bias: bias, modalities, audio, moderation } = body;
  if (!isAbsent(logprobs) && logprobs !== false) throw unsupported('logprobs', NO_PROBABILITIES);
  if (!isAbsent(top) && top !== 0) throw unsupported('top_logprobs', NO_PROBABILITIES);
  if (!isAbsent(bias) && !(isJsonObject(bias) && isEmpty(bias))) {
    throw unsupported(
      'logit_bias',
      'logit_bias is not supported: token ids differ between models.',
    );
  }
  if (!isAbsent(modalities) && !(Array.isArray(modalities) && modalities.every(isText))) {
    throw unsupported('modalities', 'Only text output is supported.');
  }
  if (!isAbsent(audio)) throw unsupported('audio', 'Only text output is supported.');
  if (!isAbsent(moderation)) throw unsupported('moderation', 'moderation is not supported.');
}

const NO_PROBABILITIES = 'logprobs are not supported.';

function unsupported(field: string, message: string) {
  return fieldError(field, message, `Leave ${field} out.`);
}

function isEmpty(value: JsonFields): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

function isText(value: unknown): boolean {
  return value === 'text';
}
