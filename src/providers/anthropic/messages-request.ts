import type { Json, JsonObject } from '#core/json/json.ts';
import { readArguments } from '#core/json/model-json.ts';
import { asList, asObject, asText, type Unknown } from '../openai-compatible/response/json.ts';

/** Anthropic requires a limit; this one is within that of its current models. */
const DEFAULT_MAX_TOKENS = 32_000;

/** Translates a chat completions request into one of Anthropic's Messages API. */
export function toMessagesRequest(body: Unknown): JsonObject {
  const messages = objects(body['messages']);
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => asText(content) ?? '')
    .join('\n\n');
  const tools = objects(body['tools']).map(toTool);
  const { temperature, top_p: topP } = body;
  const stop = asList(body['stop']).filter((each) => typeof each === 'string');
  const limit = body['max_tokens'] ?? body['max_completion_tokens'];
  return {
    model: asText(body['model']) ?? '',
    max_tokens: typeof limit === 'number' ? limit : DEFAULT_MAX_TOKENS,
    ...(system !== '' && { system }),
    messages: mergeTurns(messages.filter(({ role }) => role !== 'system').map(toTurn)),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toToolChoice(body['tool_choice'])),
    ...(stop.length > 0 && { stop_sequences: stop }),
    // Anthropic's scale ends at 1.
    ...(typeof temperature === 'number' && { temperature: Math.min(temperature, 1) }),
    ...(typeof topP === 'number' && { top_p: topP }),
    stream: body['stream'] === true,
  };
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
}

function toTurn(message: Unknown): Turn {
  const { role, content } = message;
  if (role === 'tool') {
    const result = {
      type: 'tool_result',
      tool_use_id: asText(message['tool_call_id']) ?? '',
      content: asText(content) ?? '',
    };
    return { role: 'user', content: [result] };
  }
  if (role !== 'assistant') return { role: 'user', content: toParts(content) };
  return {
    role: 'assistant',
    content: [
      ...objects(message['reasoning_details']).flatMap(toThinking),
      ...toParts(content),
      ...objects(message['tool_calls']).map(toToolUse),
    ],
  };
}

/** Neighbours of the same role are one turn: results of parallel calls must stand together. */
function mergeTurns(turns: readonly Turn[]): JsonObject[] {
  const merged: { role: Turn['role']; content: JsonObject[] }[] = [];
  for (const { role, content } of turns) {
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...content);
    else merged.push({ role, content: [...content] });
  }
  return merged.filter(({ content }) => content.length > 0);
}

function toParts(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objects(content).flatMap((part) => {
    const url = asText(asObject(part['image_url'])?.['url']);
    if (url !== undefined) return toImage(url);
    const text = asText(part['text']);
    return text === undefined || text === '' ? [] : [{ type: 'text', text }];
  });
}

const DATA_URL = /^data:([^;,]+);base64,/;

function toImage(url: string): readonly JsonObject[] {
  const [head, mediaType] = DATA_URL.exec(url) ?? [];
  if (head === undefined || mediaType === undefined) return [];
  const data = url.slice(head.length);
  return [{ type: 'image', source: { type: 'base64', media_type: mediaType, data } }];
}

/** Thinking goes back only with its signature, which Anthropic checks. */
function toThinking(detail: Unknown): readonly JsonObject[] {
  const { type, text, signature, data } = detail;
  if (type === 'reasoning.encrypted' && typeof data === 'string')
    return [{ type: 'redacted_thinking', data }];
  if (type !== 'reasoning.text' || typeof text !== 'string' || typeof signature !== 'string')
    return [];
  return [{ type: 'thinking', thinking: text, signature }];
}

function toToolUse(call: Unknown): JsonObject {
  const called = asObject(call['function']);
  const read = readArguments(asText(called?.['arguments']) ?? '');
  return {
    type: 'tool_use',
    id: asText(call['id']) ?? '',
    name: asText(called?.['name']) ?? '',
    input: read.is === 'unreadable' ? {} : (read.value as Json),
  };
}

function toTool(tool: Unknown): JsonObject {
  const { name, description, parameters } = asObject(tool['function']) ?? {};
  return {
    name: asText(name) ?? '',
    ...(typeof description === 'string' && description !== '' && { description }),
    input_schema: (asObject(parameters) ?? { type: 'object' }) as JsonObject,
  };
}

function toToolChoice(choice: unknown): JsonObject {
  if (choice === 'required') return { tool_choice: { type: 'any' } };
  const name = asText(asObject(asObject(choice)?.['function'])?.['name']);
  return name === undefined ? {} : { tool_choice: { type: 'tool', name } };
}

function objects(list: unknown): readonly Unknown[] {
  return asList(list)
    .map(asObject)
    .filter((entry) => entry !== undefined);
}
