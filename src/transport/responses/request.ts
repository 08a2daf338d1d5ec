import type { AskRequest } from '#core/llm/ask.ts';
import type { ResponseFormat, Sampling } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Mutable } from '#core/mutable.ts';
import { oneLine } from '#core/text/text.ts';
import {
  fieldProblem,
  isAbsent,
  readBodyObject,
  readBoolean,
  readChoice,
  readEffort,
  readList,
  readNumber,
  readObject,
  readString,
  readTokenLimit,
  type EffortName,
  type JsonFields,
} from '../gateway/fields.ts';
import { readModelName } from '../gateway/model-name.ts';
import { readAnswerSchema } from '../gateway/read-schema.ts';
import { readBodyOptions, type GatewayRequestOptions } from '../gateway/request-options.ts';
import { PROMPT_TEMPLATE } from './errors.ts';
import { RESPONSE_PREFIX } from './ids.ts';
import { readInput, type InputItem } from './input-items.ts';
import { readResponsesTools, type ResponsesTools } from './tools.ts';

/** A request for a response, without the messages: those may need stored items. */
export interface ResponsesRequest {
  readonly ask: Omit<AskRequest, 'messages'>;
  readonly delivery: 'stream' | 'whole';
  readonly items: readonly InputItem[];
  readonly previousId: string | undefined;
  readonly tools: ResponsesTools;
  /** Whether the response is stored. */
  readonly store: boolean;
  readonly reasoning: ReasoningStyle;
  /** The fields that the response repeats. */
  readonly echo: JsonFields;
  readonly notices: readonly Notice[];
}

export interface ReasoningStyle {
  /** Reasoning as a summary, where the client asks for one, or as it is. */
  readonly as: 'summary' | 'content';
  /** Whether the items carry it in a form that stateless clients send back. */
  readonly sealed: boolean;
}

const EFFORTS: readonly EffortName[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const TRUNCATIONS = ['auto', 'disabled'] as const;

/** Fields that are hints, or repeated in the response alone. */
const ACCEPTED: readonly string[] = [
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'include',
  'max_output_tokens',
  'max_tool_calls',
  'truncation',
  'metadata',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'top_logprobs',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'client_metadata',
  'service_tier',
  'background',
  'conversation',
  'prompt',
  'exai',
];

/** Reads the body of `POST /v1/responses`. */
export function readResponsesRequest(
  value: unknown,
  options: GatewayRequestOptions,
): ResponsesRequest {
  const body = readBodyObject(value, '{"model": "auto", "input": "…"}');
  rejectUnsupported(body);
  const delivery = readBoolean(body['stream'], 'stream') ? 'stream' : 'whole';
  const tools = readResponsesTools(body['tools'], body['tool_choice']);
  const text = isAbsent(body['text']) ? {} : readObject(body['text'], 'text');
  const reasoning = isAbsent(body['reasoning']) ? {} : readObject(body['reasoning'], 'reasoning');
  const store = readBoolean(body['store'], 'store') ?? true;
  const truncation = readChoice(body['truncation'], 'truncation', TRUNCATIONS) ?? 'disabled';
  const instructions = readInstructions(body['instructions']);
  const thinking = readEffort(reasoning['effort'], 'reasoning.effort', EFFORTS);
  const format = readFormat(text['format']);
  const sampling = readSampling(body);
  const maxOutputTokens = readTokenLimit(body['max_output_tokens'], 'max_output_tokens');
  const model = readModelName(body['model']);
  const ask: Mutable<Omit<AskRequest, 'messages'>> = {
    model,
    search: tools.search,
    // An app could not tell quoted passages from a real answer.
    lastResort: 'none',
    context: truncation === 'auto' ? 'fit' : 'whole',
    delivery,
  };
  if (instructions !== undefined) ask.system = instructions;
  if (tools.tools.length > 0) ask.tools = tools.tools;
  if (tools.choice !== undefined) ask.toolChoice = tools.choice;
  if (thinking) ask.thinking = thinking;
  if (format) ask.responseFormat = format;
  if (sampling) ask.sampling = sampling;
  if (maxOutputTokens !== undefined) ask.maxOutputTokens = maxOutputTokens;
  Object.assign(ask, readBodyOptions(body['exai']), options);
  const previousId = readPreviousId(body['previous_response_id']);
  const unknown = Object.keys(body).filter((name) => !ACCEPTED.includes(name));
  return {
    ask,
    delivery,
    items: readInput(body['input']),
    previousId,
    tools,
    store,
    reasoning: {
      as: isAbsent(reasoning['summary'] ?? reasoning['generate_summary']) ? 'content' : 'summary',
      sealed: readInclude(body['include']).includes('reasoning.encrypted_content'),
    },
    echo: {
      instructions: instructions ?? null,
      max_output_tokens: maxOutputTokens ?? null,
      max_tool_calls: body['max_tool_calls'] ?? null,
      metadata: readMetadata(body['metadata']),
      parallel_tool_calls: readBoolean(body['parallel_tool_calls'], 'parallel_tool_calls') ?? true,
      previous_response_id: previousId ?? null,
      prompt_cache_key: body['prompt_cache_key'] ?? null,
      reasoning: { effort: reasoning['effort'] ?? null, summary: reasoning['summary'] ?? null },
      safety_identifier: body['safety_identifier'] ?? null,
      service_tier: 'default',
      temperature: body['temperature'] ?? null,
      text: {
        format: text['format'] ?? { type: 'text' },
        verbosity: text['verbosity'] ?? 'medium',
      },
      tool_choice: body['tool_choice'] ?? 'auto',
      tools: body['tools'] ?? [],
      top_logprobs: 0,
      top_p: body['top_p'] ?? null,
      truncation,
      user: body['user'] ?? null,
    },
    notices: [
      ...tools.notices,
      ...(unknown.length === 0
        ? []
        : [notice('gateway_fields_ignored', { fields: unknown.map((name) => oneLine(name, 60)) })]),
    ],
  };
}

function readInstructions(value: unknown): string | undefined {
  if (isAbsent(value) || value === '') return undefined;
  return readString(value, 'instructions');
}

function readPreviousId(value: unknown): string | undefined {
  if (isAbsent(value)) return undefined;
  const id = readString(value, 'previous_response_id');
  if (id.startsWith(RESPONSE_PREFIX)) return id;
  const fix = 'Send the id of a stored response, resp_…';
  throw fieldProblem('previous_response_id', 'is not the id of a response', fix);
}

function readInclude(value: unknown): readonly unknown[] {
  if (isAbsent(value)) return [];
  const included = readList(value, 'include');
  const at = included.indexOf('message.output_text.logprobs');
  if (at === -1) return included;
  throw unsupported(`include[${at}]`, 'token probabilities are not available');
}

const MAX_PAIRS = 16;
const MAX_KEY_CHARS = 64;
const MAX_VALUE_CHARS = 512;

function readMetadata(value: unknown): JsonFields {
  if (isAbsent(value)) return {};
  const metadata = readObject(value, 'metadata');
  const pairs = Object.entries(metadata);
  const isValid = ([key, text]: readonly [string, unknown]) =>
    key.length <= MAX_KEY_CHARS && typeof text === 'string' && text.length <= MAX_VALUE_CHARS;
  if (pairs.length <= MAX_PAIRS && pairs.every(isValid)) return metadata;
  throw fieldProblem(
    'metadata',
    `must have up to ${MAX_PAIRS} texts, keys of up to ${MAX_KEY_CHARS} and values of up to ${MAX_VALUE_CHARS} characters`,
    'Shorten it.',
  );
}

function readSampling(body: JsonFields): Sampling | undefined {
  const temperature = readNumber(body['temperature'], 'temperature', 0, 2);
  const topP = readNumber(body['top_p'], 'top_p', 0, 1);
  if (temperature === undefined && topP === undefined) return undefined;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
  };
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

function readFormat(value: unknown): ResponseFormat | undefined {
  if (isAbsent(value)) return undefined;
  const { type, name, schema } = readObject(value, 'text.format');
  switch (type) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      if (typeof name !== 'string' || !NAME.test(name)) {
        const fix = 'Use 1 to 64 letters, digits, _ and -.';
        throw fieldProblem('text.format.name', 'is missing or has other characters', fix);
      }
      return { type, name, schema: readAnswerSchema(schema, 'text.format.schema') };
    default: {
      const fix = 'Send text, json_object or json_schema.';
      throw fieldProblem('text.format.type', 'is not a known format', fix);
    }
  }
}

/** Rejects what cannot be done and whose absence in the answer would go unnoticed. */
function rejectUnsupported(body: JsonFields): void {
  const { background, conversation, prompt, moderation, top_logprobs: top } = body;
  if (readBoolean(background, 'background')) {
    throw unsupported('background', 'a response ends with its connection');
  }
  if (!isAbsent(conversation)) {
    throw fieldProblem(
      'conversation',
      'is not supported',
      'Leave it out, and continue with previous_response_id.',
    );
  }
  if (!isAbsent(prompt)) {
    throw fieldProblem(
      PROMPT_TEMPLATE,
      'names a template at OpenAI',
      'Send instructions and input.',
    );
  }
  if (!isAbsent(moderation)) throw unsupported('moderation', 'nothing is moderated');
  if (!isAbsent(top) && top !== 0) {
    throw unsupported('top_logprobs', 'token probabilities are not available');
  }
}

function unsupported(field: string, why: string): Error {
  return fieldProblem(field, `is not supported: ${why}`, `Leave ${field} out.`);
}
