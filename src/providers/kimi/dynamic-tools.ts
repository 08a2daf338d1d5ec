import type { JsonObject } from '#core/json/json.ts';
import type { ChatMessage, ChatRequest, ChatTool } from '#core/llm/chat.ts';
import type { Model } from '#models/model.ts';
import { writeTools } from '../openai-compatible/request/write-messages.ts';
import { toMoonshotSchema } from './schema/moonshot-schema.ts';

/** The tools that the model learns in the middle of the conversation, by the index of a message. */
export type DynamicTools = ReadonlyMap<number, readonly ChatTool[]>;

/**
 * The tools that messages add, where the model takes them there: the prompt before stays the same,
 * and so does its cached prefix. A tool whose message is not sent is a tool of the request.
 */
export function selectDynamicTools(
  { messages, tools = [], toolChoice = 'auto', continuation }: ChatRequest,
  { dynamicTools }: Model,
): DynamicTools {
  const added = new Map<number, readonly ChatTool[]>();
  // A forced tool is among those of the request. Nothing follows a text that is to be continued.
  if (dynamicTools === undefined || toolChoice !== 'auto') return added;
  const end = messages.length - (continuation === 'prefix' ? 1 : 0);
  const left = new Map(tools.map((tool) => [tool.name, tool]));
  for (const [index, { addsTools = [] }] of messages.slice(0, end).entries()) {
    const here = addsTools.flatMap((name) => left.get(name) ?? []);
    for (const { name } of here) left.delete(name);
    if (here.length > 0) added.set(index, here);
  }
  return added;
}

/** The tools of the request itself. */
export function staticTools(
  tools: readonly ChatTool[],
  dynamic: DynamicTools,
): readonly ChatTool[] {
  if (dynamic.size === 0) return tools;
  const names = new Set([...dynamic.values()].flatMap((added) => added.map(({ name }) => name)));
  return tools.filter(({ name }) => !names.has(name));
}

/** Adds the messages with tools, which have no content. */
export function withDynamicTools(
  written: readonly JsonObject[],
  messages: readonly ChatMessage[],
  dynamic: DynamicTools,
): JsonObject[] {
  if (dynamic.size === 0) return [...written];
  return messages.flatMap((_, index) => {
    const added = dynamic.get(index);
    const message = written[index] ?? {};
    return added
      ? [message, { role: 'system', tools: writeTools(added, toMoonshotSchema) }]
      : [message];
  });
}
