import type { Citation, ToolCall } from '#core/llm/chat.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { isJsonObject, isTooDeep, type JsonFields } from '../gateway/fields.ts';
import { citationSpan } from '../openai/chat-response.ts';
import { sealReasoning, type Reasoning } from './encrypted-reasoning.ts';
import { outputItemId, type KnownItemType } from './ids.ts';
import type { ReasoningStyle } from './request.ts';
import type { ToolBinding } from './tools.ts';

/** `incomplete` if the limit of tokens was reached within it. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** An output item, of a response that is not stored yet. */
export type OutputItem = JsonFields & { readonly id: string; readonly type: KnownItemType };

export function messageItem(
  id: string,
  status: ItemStatus,
  content: readonly object[],
): OutputItem {
  return { id, type: 'message', status, role: 'assistant', content };
}

export function textPart(text: string, citations: readonly Citation[] = []) {
  return { type: 'output_text', annotations: writeCitations(text, citations), logprobs: [], text };
}

/** The sources of a text, as annotations. */
export function writeCitations(text: string, citations: readonly Citation[]) {
  return citations.map((citation) => ({
    type: 'url_citation',
    ...citationSpan(text, citation),
    title: citation.title,
    url: citation.url,
  }));
}

/** A reasoning item. Before the reasoning is complete, `reasoning` is undefined. */
export function reasoningItem(
  id: string,
  style: ReasoningStyle,
  reasoning: Reasoning | undefined,
): OutputItem {
  const text = reasoning?.text ?? '';
  const parts = text === '' ? [] : [reasoningPart(style, text)];
  // The vendor's details have no other place, and its models want them back.
  const isSealed = style.sealed || (reasoning !== undefined && reasoning.details.length > 0);
  return {
    id,
    type: 'reasoning',
    summary: style.as === 'summary' ? parts : [],
    ...(style.as === 'content' && { content: parts }),
    ...(isSealed && { encrypted_content: reasoning ? sealReasoning(reasoning) : null }),
  };
}

export function reasoningPart({ as }: ReasoningStyle, text: string) {
  return { type: as === 'summary' ? 'summary_text' : 'reasoning_text', text };
}

/** The reasoning of an answer with the vendor's details, if they can be sent back. */
export function reasoningOf({ reasoningDetails }: GatewayChoice, text: string): Reasoning {
  return { text, details: isTooDeep(reasoningDetails) ? [] : reasoningDetails };
}

/** The type of the item for a call of a tool. */
export function callType({ kind }: ToolBinding): KnownItemType {
  switch (kind) {
    case 'function':
      return 'function_call';
    case 'custom':
      return 'custom_tool_call';
    case 'local_shell':
      return 'local_shell_call';
  }
}

export function callItem(
  id: string,
  status: ItemStatus,
  binding: ToolBinding,
  { id: callId, arguments: text }: Pick<ToolCall, 'id' | 'arguments'>,
): OutputItem {
  const { kind, name, namespace } = binding;
  const named = { call_id: callId, name, ...(namespace !== undefined && { namespace }) };
  const common = { id, type: callType(binding), status };
  switch (kind) {
    case 'function':
      return { ...common, ...named, arguments: text };
    case 'custom':
      return { ...common, ...named, input: customInput(text) };
    case 'local_shell':
      return { ...common, call_id: callId, action: shellAction(text) };
  }
}

/** The input of a tool with free text; models write it as an argument. */
export function customInput(text: string): string {
  const { input } = parseArguments(text);
  return typeof input === 'string' ? input : text;
}

function shellAction(text: string): JsonFields {
  const { command, ...rest } = parseArguments(text);
  const words = Array.isArray(command)
    ? command.map(String)
    : [typeof command === 'string' ? command : text];
  return { type: 'exec', env: {}, ...rest, command: words };
}

function parseArguments(text: string): JsonFields {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // Models also write the plain input.
    return {};
  }
}

/** All items of an answer that was not streamed. */
export function outputItems(
  choice: GatewayChoice,
  response: string,
  style: ReasoningStyle,
  binding: (name: string) => ToolBinding,
): readonly OutputItem[] {
  const { text, reasoning, toolCalls, citations, finish } = choice;
  const items: OutputItem[] = [];
  const nextId = (type: KnownItemType) => outputItemId(type, response, items.length);
  const status = finish === 'length' && toolCalls.length === 0 ? 'incomplete' : 'completed';
  if (reasoning !== '') {
    items.push(reasoningItem(nextId('reasoning'), style, reasoningOf(choice, reasoning)));
  }
  if (text !== '' || toolCalls.length === 0) {
    items.push(messageItem(nextId('message'), status, [textPart(text, citations)]));
  }
  for (const call of toolCalls) {
    const bound = binding(call.name);
    items.push(callItem(nextId(callType(bound)), 'completed', bound, call));
  }
  return items;
}
