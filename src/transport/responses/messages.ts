import { loneText } from '../gateway/lone-text.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { ChatMessage, ChatPart, ToolCall } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Mutable } from '#core/mutable.ts';
import { oneLine } from '#core/text/text.ts';
import {
  fieldError,
  fieldProblem,
  isAbsent,
  isJsonObject,
  isVisible,
  readString,
  type JsonFields,
} from '../gateway/fields.ts';
import { openReasoning, type Reasoning } from './encrypted-reasoning.ts';
import type { InputItem } from './input-items.ts';
import { readItemParts, readItemTexts } from './item-content.ts';
import { LOCAL_SHELL, modelToolName } from './tools.ts';

type AssistantMessage = Mutable<Extract<ChatMessage, { readonly role: 'assistant' }>>;

/** Items about tools that run at OpenAI; no other model can read them. */
const DROPPED: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'image_generation_call',
  'code_interpreter_call',
  'tool_search_call',
  'tool_search_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'additional_tools',
]);

export interface ReadMessages {
  readonly messages: readonly ChatMessage[];
  readonly notices: readonly Notice[];
}

/**
 * Reads the items of a conversation as messages. Calls of one turn become one message, with the
 * reasoning before it; images in the results of tools follow as a message of the user, because
 * vendors accept texts alone there.
 */
export function readItemMessages(items: readonly InputItem[]): ReadMessages {
  const messages: ChatMessage[] = [];
  const dropped = new Set<string>();
  /** Calls without a result, by their id, with the path of the item. */
  const open = new Map<string, string>();
  let reasoning: Reasoning | undefined;
  let toolParts: ChatPart[] = [];

  function flushToolParts(): void {
    if (toolParts.length === 0) return;
    messages.push({ role: 'user', content: toolParts });
    toolParts = [];
  }

  /** The message that the next part of this turn of the assistant belongs to. */
  function turn(): AssistantMessage {
    const last = messages.at(-1);
    const isOpen = last?.role === 'assistant';
    if (!isOpen) flushToolParts();
    const current: AssistantMessage = isOpen ? last : { role: 'assistant', content: '' };
    if (!isOpen) messages.push(current);
    if (reasoning) addReasoning(current, reasoning);
    reasoning = undefined;
    return current;
  }

  function addCall(call: ToolCall, field: string): void {
    if (open.has(call.id)) throw fieldProblem(`${field}.call_id`, 'is used twice', SEND_AS_GIVEN);
    const message = turn();
    message.toolCalls = [...(message.toolCalls ?? []), call];
    open.set(call.id, field);
  }

  function addResult(toolCallId: string, output: unknown, field: string): void {
    if (!open.delete(toolCallId)) {
      throw new CallError(
        'validation',
        `No tool call found for the output with call_id "${oneLine(toolCallId, 80)}".`,
        { field, fix: 'Send the call before its output, or previous_response_id.' },
      );
    }
    const parts = isAbsent(output) ? [] : readItemParts(output, `${field}.output`);
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const media = parts.filter((part) => part.type !== 'text');
    if (media.length > 0) texts.push('(The image or file of this result follows.)');
    messages.push({ role: 'tool', toolCallId, content: texts.join('\n\n') });
    toolParts.push(...media);
  }

  function addMessage(item: JsonFields, field: string): void {
    const { role, content } = item;
    switch (role) {
      case 'user': {
        flushToolParts();
        const parts = readItemParts(content, `${field}.content`);
        if (!parts.some((part) => part.type !== 'text' || isVisible(part.text))) {
          throw fieldProblem(`${field}.content`, 'is empty', 'Write a text, or leave it out.');
        }
        messages.push({ role, content: loneText(parts) ?? parts });
        return;
      }
      case 'assistant': {
        const text = readItemTexts(content, `${field}.content`, '');
        if (!isVisible(text)) return;
        const message = turn();
        message.content = message.content === '' ? text : `${message.content}\n\n${text}`;
        return;
      }
      case 'system':
      case 'developer': {
        const text = readItemTexts(content, `${field}.content`, '\n\n');
        if (isVisible(text)) messages.push({ role: 'system', content: text });
        return;
      }
      default:
        throw fieldProblem(
          `${field}.role`,
          'must be user, assistant, system or developer',
          'Send one of these.',
        );
    }
  }

  function add({ item, field }: InputItem): void {
    const { type } = item;
    switch (type) {
      case 'message':
        return addMessage(item, field);
      case 'function_call':
        return addCall(readCall(item, field, item['arguments'], 'arguments'), field);
      case 'custom_tool_call': {
        const input = JSON.stringify({ input: readString(item['input'], `${field}.input`) });
        return addCall(readCall(item, field, input, 'input'), field);
      }
      case 'local_shell_call': {
        const { type: _, ...action } = isJsonObject(item['action']) ? item['action'] : {};
        const call = { ...item, name: LOCAL_SHELL };
        return addCall(readCall(call, field, JSON.stringify(action), 'action'), field);
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'local_shell_call_output': {
        // The result of a local shell call has the id of the call as its own, in older clients.
        const id = item['call_id'] ?? item['id'];
        return addResult(readString(id, `${field}.call_id`), item['output'], field);
      }
      case 'reasoning': {
        const read = readReasoning(item);
        const last = messages.at(-1);
        // Details may follow the calls that they belong to.
        if (last?.role === 'assistant' && open.size > 0) addReasoning(last, read);
        else reasoning = mergeReasoning(reasoning, read);
        return;
      }
      default: {
        if (DROPPED.has(type)) return void dropped.add(String(type));
        const name = typeof type === 'string' ? ` "${oneLine(type, 40)}"` : '';
        const fix =
          'Send message, function_call, function_call_output, reasoning or item_reference.';
        throw fieldError(`${field}.type`, `There is no item of the type${name}.`, fix);
      }
    }
  }

  for (const item of items) add(item);
  flushToolParts();
  refuseOpenCalls(open);
  return {
    messages: endWithQuestion(messages),
    notices: dropped.size === 0 ? [] : [notice('gateway_items_dropped', { types: [...dropped] })],
  };
}

const SEND_AS_GIVEN = 'Send the items as the model gave them.';

function readCall(item: JsonFields, field: string, text: unknown, member: string): ToolCall {
  const { name, namespace } = item;
  const calledName = readString(name, `${field}.name`);
  return {
    id: readString(item['call_id'] ?? item['id'], `${field}.call_id`),
    name: modelToolName(calledName, typeof namespace === 'string' ? namespace : undefined),
    arguments: readString(text, `${field}.${member}`),
  };
}

/** The reasoning of an item: sealed by us, or as texts. */
function readReasoning(item: JsonFields): Reasoning {
  const { encrypted_content: sealed, content, summary } = item;
  const opened = typeof sealed === 'string' ? openReasoning(sealed) : undefined;
  if (opened) return opened;
  const text = textsOf(content) || textsOf(summary);
  return { text, details: [] as readonly JsonObject[] };
}

function textsOf(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return value
    .map((part: unknown) =>
      isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '',
    )
    .join('\n\n');
}

function mergeReasoning(first: Reasoning | undefined, second: Reasoning): Reasoning {
  if (!first) return second;
  const text = [first.text, second.text].filter((each) => each !== '').join('\n\n');
  return { text, details: [...first.details, ...second.details] };
}

function addReasoning(message: AssistantMessage, { text, details }: Reasoning): void {
  const { reasoning = '', reasoningDetails = [] } = message;
  const whole = [reasoning, text].filter((each) => each !== '').join('\n\n');
  if (whole !== '') message.reasoning = whole;
  const all = [...reasoningDetails, ...details];
  if (all.length > 0) message.reasoningDetails = all;
}

function refuseOpenCalls(open: ReadonlyMap<string, string>): void {
  const [first] = open;
  if (!first) return;
  const [callId, field] = first;
  throw new CallError(
    'validation',
    `No tool output found for the call with call_id "${oneLine(callId, 80)}".`,
    { field, fix: 'Send an output item for every call.' },
  );
}

/** A system message at the end becomes one of the user, because the model has to answer it. */
function endWithQuestion(messages: ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (!last) throw fieldProblem('input', 'is empty', 'Send at least one message of the user.');
  if (last.role === 'system') {
    messages[messages.length - 1] = { role: 'user', content: last.content };
  }
  return messages;
}
