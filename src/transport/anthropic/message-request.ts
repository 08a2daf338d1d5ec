import type { IncomingHttpHeaders } from 'node:http';
import type { AskRequest } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { ResponseFormat, Sampling } from '#core/llm/chat.ts';
import type { GatewayCount } from '#core/llm/gateway.ts';
import { THINKING_MODES, type ThinkingMode } from '#core/llm/route.ts';
import type { Mutable } from '#core/mutable.ts';
import type { ParsedChat } from '../gateway/dialect.ts';
import {
  fieldError,
  fieldProblem,
  isAbsent,
  isJsonObject,
  readBodyObject,
  readBoolean,
  readEffort,
  readInteger,
  readList,
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
import { writeAnthropicResponse, type ResponseStyle } from './message-response.ts';
import { readAnthropicMessages, readSystem } from './messages.ts';
import { readAnthropicTools } from './tools.ts';
import { createAnthropicStreamWriter } from './stream-writer.ts';

/** Reads the body of `POST /v1/messages`. */
export function readAnthropicRequest(
  value: unknown,
  options: GatewayRequestOptions,
  headers: IncomingHttpHeaders = {},
): ParsedChat {
  const body = readBodyObject(value, '{"model": "auto", "max_tokens": 1024, "messages": […]}');
  const delivery = readBoolean(body['stream'], 'stream') ? 'stream' : 'whole';
  const maxOutputTokens = readMaxTokens(body['max_tokens']);
  refuseCompaction(body['compaction']);
  const { ask, style } = readAnthropicAsk(body, options);
  if (!isInterleaved(headers)) checkBudget(body['thinking'], maxOutputTokens);
  ask.maxOutputTokens = maxOutputTokens;
  ask.delivery = delivery;
  if (wantsFineGrained(headers)) ask.toolCallDelivery ??= 'stream';
  return {
    chat: { ask, choices: 1 },
    delivery,
    renderResponse: (finished) => writeAnthropicResponse(finished, style),
    createWriter: () => createAnthropicStreamWriter(style),
  };
}

/** The beta by which clients ask for the arguments of tool calls as they are written. */
const FINE_GRAINED = 'fine-grained-tool-streaming-2025-05-14';

function wantsFineGrained({ 'anthropic-beta': beta }: IncomingHttpHeaders): boolean {
  return String(beta).includes(FINE_GRAINED);
}

function readMaxTokens(value: unknown): number {
  const tokens = readTokenLimit(value, 'max_tokens');
  if (tokens !== undefined) return tokens;
  const fix = 'Send a whole number from 1 on.';
  throw fieldError('max_tokens', 'The limit of the answer is missing.', fix);
}

/** A request to which the reader may add, and how its response is written. */
interface AnthropicAsk {
  readonly ask: Mutable<AskRequest>;
  readonly style: ResponseStyle;
}

const NOTHING: JsonFields = {};

/** Reads what message and token count requests have in common. Unknown members are ignored. */
function readAnthropicAsk(body: JsonFields, options: GatewayRequestOptions): AnthropicAsk {
  refuseThread(body['thread']);
  refuseServers(body['mcp_servers']);
  refuseRegion(body['inference_geo']);
  const config = body['output_config'];
  const output = isAbsent(config) ? NOTHING : readObject(config, 'output_config');
  const { tools, choice, search, fullName } = readAnthropicTools(
    body['tools'],
    body['tool_choice'],
  );
  const { mode, showThinking } = readThinking(body['thinking'], output['effort']);
  const responseFormat =
    readAnthropicFormat(output['format'], 'output_config.format') ??
    readAnthropicFormat(body['output_format'], 'output_format');
  const system = readSystem(body['system'], 'system');
  const sampling = readSampling(body);
  const stop = readStops(body['stop_sequences']);
  const ask: Mutable<AskRequest> = {
    model: readModelName(body['model']),
    messages: readAnthropicMessages(body['messages']),
    search,
    // No extractive fallback and no shortened prompt: an app could not tell them from a real
    // answer.
    lastResort: 'none',
    context: 'whole',
  };
  if (system !== undefined) ask.system = system;
  if (mode) ask.thinking = mode;
  if (tools.length > 0) ask.tools = tools;
  if (choice !== undefined) ask.toolChoice = choice;
  if (responseFormat) ask.responseFormat = responseFormat;
  if (sampling) ask.sampling = sampling;
  if (stop) {
    ask.stop = stop;
    // The response names the stop sequence, which vendors do not report.
    ask.stopBy = 'exai';
  }
  Object.assign(ask, readBodyOptions(body['exai']), options);
  return { ask, style: { search, fullName, showThinking, notices: ignoredFields(body) } };
}

/** Fields without effect here; the answer is still an answer. */
const IGNORED = ['context_management', 'fallbacks', 'speed'] as const;

function ignoredFields(body: JsonFields): readonly Notice[] {
  const fields = IGNORED.filter((name) => !isAbsent(body[name]) && body[name] !== 'standard');
  return fields.length === 0 ? [] : [notice('gateway_fields_ignored', { fields })];
}

/** The answer would be a block that only Anthropic can read again. */
function refuseCompaction(value: unknown): void {
  if (isAbsent(value)) return;
  const fix = 'Leave it out, and ask for a summary in a message.';
  throw fieldProblem('compaction', 'is not supported', fix);
}

function refuseRegion(value: unknown): void {
  if (isAbsent(value)) return;
  const is = 'is not supported: the vendor decides where its model runs';
  throw fieldProblem('inference_geo', is, 'Leave it out, or name a model of a vendor that fits.');
}

/** A request that continues a thread has only the new messages, so it cannot be answered. */
function refuseThread(value: unknown): void {
  if (isAbsent(value)) return;
  throw codedError('validation', reason('thread_unsupported'), {
    field: 'thread',
    fix: 'Leave it out, and send all messages of the conversation.',
  });
}

function refuseServers(value: unknown): void {
  if (isAbsent(value) || readList(value, 'mcp_servers').length === 0) return;
  const fix = 'Leave it out, and give what the servers have as tools.';
  throw fieldError('mcp_servers', 'No MCP servers are called on behalf of a message.', fix);
}

/** The sampling parameters; undefined if there are none. */
function readSampling(body: JsonFields): Sampling | undefined {
  const temperature = readNumber(body['temperature'], 'temperature', 0, 1);
  const topP = readNumber(body['top_p'], 'top_p', 0, 1);
  if (temperature === undefined && topP === undefined) return undefined;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
  };
}

const MAX_STOPS = 64;

/** The stop sequences; undefined if there are none. */
function readStops(value: unknown): readonly string[] | undefined {
  if (isAbsent(value)) return undefined;
  return readStopTexts(readList(value, 'stop_sequences'), 'stop_sequences', MAX_STOPS);
}

/** The response format; undefined for plain text. */
function readAnthropicFormat(value: unknown, field: string): ResponseFormat | undefined {
  if (isAbsent(value)) return undefined;
  const { type, schema } = readObject(value, field);
  if (type === 'json_schema') {
    return { type, name: 'answer', schema: readAnswerSchema(schema, `${field}.schema`) };
  }
  throw fieldError(`${field}.type`, 'There is no such format.', 'Send json_schema.');
}

const EFFORTS: readonly EffortName[] = ['low', 'medium', 'high', 'xhigh', 'max'];

export interface AnthropicThinking {
  /** Undefined: not specified. */
  readonly mode: ThinkingMode | undefined;
  /** Whether the response includes the reasoning. */
  readonly showThinking: boolean;
}

function readThinking(value: unknown, effort: unknown): AnthropicThinking {
  const wanted = readEffort(effort, 'output_config.effort', EFFORTS);
  if (isAbsent(value)) return { mode: wanted, showThinking: false };
  const thinking = readObject(value, 'thinking');
  const showThinking = thinking['display'] !== 'omitted';
  switch (thinking['type']) {
    case 'disabled':
    case 'between_tools':
      return { mode: 'minimal', showThinking: false };
    case 'adaptive':
      return { mode: wanted, showThinking };
    case 'enabled': {
      const field = 'thinking.budget_tokens';
      const budgetTokens = readInteger(thinking['budget_tokens'], field, 1);
      if (budgetTokens !== undefined) {
        return { mode: lesser(modeWithin(budgetTokens), wanted), showThinking };
      }
      const fix = 'Send a whole number from 1 on, or the type adaptive.';
      throw fieldError(field, 'The budget of thinking is missing.', fix);
    }
    default:
      throw fieldError(
        'thinking.type',
        'There is no such thinking.',
        'Send enabled, disabled or adaptive.',
      );
  }
}

const INTERLEAVED = /\binterleaved-thinking-/;

/** With interleaved thinking the budget is that of several answers. */
function isInterleaved({ 'anthropic-beta': beta }: IncomingHttpHeaders): boolean {
  return INTERLEAVED.test(String(beta));
}

/** Throws if the budget of thinking leaves nothing for the answer. */
function checkBudget(thinking: unknown, maxTokens: number): void {
  if (!isJsonObject(thinking) || thinking['type'] !== 'enabled') return;
  if (Number(thinking['budget_tokens']) < maxTokens) return;
  const fix = 'Send a larger max_tokens, or a smaller budget.';
  throw fieldProblem('thinking.budget_tokens', 'must be less than max_tokens', fix);
}

/**
 * The thinking mode for a token budget, as vendors have modes only. A budget means that thinking is
 * wanted, so the lowest is not `minimal`.
 */
function modeWithin(budgetTokens: number): ThinkingMode {
  if (budgetTokens <= 2048) return 'low';
  if (budgetTokens <= 8192) return 'medium';
  return budgetTokens <= 24_576 ? 'high' : 'max';
}

function lesser(a: ThinkingMode, b: ThinkingMode | undefined): ThinkingMode {
  return b !== undefined && THINKING_MODES.indexOf(b) < THINKING_MODES.indexOf(a) ? b : a;
}

/** Reads the body of `POST /v1/messages/count_tokens`: a message request without `max_tokens`. */
export function readTokenCount(value: unknown): GatewayCount {
  const body = readBodyObject(value, '{"model": "auto", "messages": […]}');
  return { ask: readAnthropicAsk(body, {}).ask };
}

export function writeTokenCount(tokens: number): string {
  return `{"input_tokens":${JSON.stringify(tokens)}}`;
}
