import { readArguments } from '#core/json/model-json.ts';
import type { Citation, ToolCall } from '#core/llm/chat.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { answerUsage, type AnswerUsage } from '../gateway/answer-usage.ts';
import type { FinishedChat } from '../gateway/dialect.ts';
import type { Notice } from '#core/messages/notices.ts';
import { exaiExtension, vendorStyleId } from '../gateway/exai-extension.ts';
import type { AnthropicThinking } from './message-request.ts';
import type { AnthropicTools } from './tools.ts';

/** Writes a `message` object as JSON. */
export function writeAnthropicResponse(finished: FinishedChat, style: ResponseStyle): string {
  const { reqId, answer, envelope } = finished;
  const [choice] = answer.choices;
  const content = choice ? contentBlocks(choice, style, reqId) : [];
  const searches = content.some(({ type }) => type === 'server_tool_use') ? 1 : 0;
  return JSON.stringify({
    id: messageId(reqId),
    type: 'message',
    role: 'assistant',
    model: choice?.model ?? envelope.model ?? 'auto',
    content,
    stop_reason: choice ? stopReason(choice) : 'end_turn',
    stop_sequence: choice?.stopText ?? null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: writeMessageUsage(answerUsage(answer), searches),
    exai: exaiExtension(finished, style.notices),
  });
}

/** How a response is written, as the request determines. */
export interface ResponseStyle
  extends Pick<AnthropicTools, 'search' | 'fullName'>, Pick<AnthropicThinking, 'showThinking'> {
  /** What was left out of the request. */
  readonly notices: readonly Notice[];
}

export type AnthropicBlock = Readonly<Record<string, unknown>> & { readonly type: string };

function contentBlocks(
  { reasoning, text, toolCalls, citations }: GatewayChoice,
  style: ResponseStyle,
  reqId: string,
): readonly AnthropicBlock[] {
  const thinking: readonly AnthropicBlock[] =
    style.showThinking && reasoning !== ''
      ? [{ type: 'thinking', thinking: reasoning, signature: '' }]
      : [];
  return [
    ...thinking,
    ...searchBlocks(citations, style, reqId),
    ...(text === '' ? [] : [{ type: 'text', text, citations: null }]),
    ...toolCalls.map((call, index) => callBlock(call, style, callId(reqId, index))),
  ];
}

function callBlock(
  { id, name, arguments: text }: ToolCall,
  { fullName }: ResponseStyle,
  fallbackId: string,
): AnthropicBlock {
  return {
    type: 'tool_use',
    id: id === '' ? fallbackId : id,
    name: fullName(name),
    input: toToolInput(text),
    caller: DIRECT,
  };
}

/** The model itself calls the tool, not a program of it. */
export const DIRECT = { type: 'direct' } as const;

/**
 * The citations in the blocks of Anthropic's web search. The query is missing, as vendors do not
 * tell it.
 */
export function searchBlocks(
  citations: readonly Citation[],
  { search }: ResponseStyle,
  reqId: string,
): readonly AnthropicBlock[] {
  if (search === 'off' || citations.length === 0) return [];
  const id = searchId(reqId);
  const found = citations.map(({ title, url, date }) => ({
    type: 'web_search_result',
    title,
    url,
    encrypted_content: '',
    page_age: date ?? null,
  }));
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: id, content: found },
  ];
}

/**
 * The arguments of a tool call as an object. Text that is not a JSON object is passed in a member
 * that no tool has: the tool rejects it, and the model sees what it wrote.
 */
export function toToolInput(text: string): Readonly<Record<string, unknown>> {
  const read = readArguments(text);
  return read.is === 'read' ? read.value : { _raw: text };
}

type StopReason = 'end_turn' | 'max_tokens' | 'stop_sequence' | 'tool_use';

export function stopReason({ finish, toolCalls, stopText }: GatewayChoice): StopReason {
  if (finish === 'length') return 'max_tokens';
  if (toolCalls.length > 0) return 'tool_use';
  return stopText === undefined ? 'end_turn' : 'stop_sequence';
}

/** The id of the message for a request. */
export function messageId(reqId: string): string {
  return vendorStyleId('msg_', reqId);
}

/** The id of its web search. */
function searchId(reqId: string): string {
  return vendorStyleId('srvtoolu_', reqId);
}

/** The id of a tool call without an id of the vendor. */
export function callId(reqId: string, index: number): string {
  return `${vendorStyleId('toolu_', reqId)}_${index}`;
}

/**
 * The `usage` object. Anthropic counts cached tokens separately; tokens written to the cache are
 * unknown. At least one token is not cached: clients take 0 for an absent value, and keep the
 * estimate of `message_start`.
 */
export function writeAnthropicUsage(
  { input, output, cached, reasoning }: AnswerUsage,
  searches: number,
): Readonly<Record<string, unknown>> {
  const uncached = Math.min(input, Math.max(1, input - cached));
  return {
    input_tokens: uncached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: input - uncached,
    output_tokens: output,
    output_tokens_details: reasoning > 0 ? { thinking_tokens: reasoning } : null,
    server_tool_use: searches > 0 ? { web_search_requests: searches, web_fetch_requests: 0 } : null,
  };
}

/** The `usage` object of a message, which has more members than that of a delta. */
export function writeMessageUsage(
  usage: AnswerUsage,
  searches: number,
): Readonly<Record<string, unknown>> {
  return {
    ...writeAnthropicUsage(usage, searches),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}
