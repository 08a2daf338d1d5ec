import type { Citation, ToolCall } from '#core/chat.ts';
import type { GatewayChoice } from '#core/gateway.ts';
import type { AnswerStyle } from './answer-style.ts';
import { callId, searchId } from './message-id.ts';
import { toInput } from './tool-input.ts';

export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

export function contentBlocks(
  { reasoning, text, toolCalls, citations }: GatewayChoice,
  style: AnswerStyle,
  reqId: string,
): readonly ContentBlock[] {
  const thoughts: readonly ContentBlock[] =
    style.thoughts === 'told' && reasoning !== ''
      ? [{ type: 'thinking', thinking: reasoning, signature: '' }]
      : [];
  return [
    ...thoughts,
    ...searchBlocks(citations, style, reqId),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...toolCalls.map((call, index) => callBlock(call, style, callId(reqId, index))),
  ];
}

function callBlock(
  { id, name, arguments: text }: ToolCall,
  { fullName }: AnswerStyle,
  ownId: string,
): ContentBlock {
  return {
    type: 'tool_use',
    id: id === '' ? ownId : id,
    name: fullName(name),
    input: toInput(text),
  };
}

/** What the vendor found, in the way of Anthropic's own search. The vendors search by themselves and keep the words to themselves. */
export function searchBlocks(
  citations: readonly Citation[],
  { search }: AnswerStyle,
  reqId: string,
): readonly ContentBlock[] {
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
