import type { Usage } from '#core/calls/envelope.schema.ts';
import { readArguments } from '#core/json/model-json.ts';
import type { Citation, ToolCall } from '#core/llm/chat.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import type { FinishedChat } from '../gateway/dialect.ts';
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
    stop_sequence: null,
    stop_details: null,
    usage: writeAnthropicUsage(envelope.usage, searches),
    exai: exaiExtension(finished),
  });
}

/** How a response is written, as the request determines. */
export interface ResponseStyle
  extends Pick<AnthropicTools, 'search' | 'fullName'>, Pick<AnthropicThinking, 'showThinking'> {}

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
    ...(text === '' ? [] : [{ type: 'text', text }]),
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
  };
}

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

/**
 * Anthropic's stop reasons without `stop_sequence`, which vendors do not distinguish from the end
 * of the answer.
 */
type StopReason = 'end_turn' | 'max_tokens' | 'tool_use';

export function stopReason({ finish, toolCalls }: GatewayChoice): StopReason {
  if (finish === 'length') return 'max_tokens';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
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
 * unknown.
 */
export function writeAnthropicUsage(
  usage: Usage | undefined,
  searches: number,
): Readonly<Record<string, unknown>> {
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage ?? {};
  return {
    input_tokens: Math.max(0, input - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(searches > 0 && {
      server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
    }),
  };
}
