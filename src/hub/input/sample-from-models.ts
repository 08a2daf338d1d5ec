import { CallError } from '#core/errors/call-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import { asList } from '#core/json/json.ts';
import type { ChatMessage, ChatPart, FinishReason } from '#core/llm/chat.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { isObject, type Members } from '#mcp/json-rpc.ts';
import type { OngoingContext } from './ongoing-calls.ts';

const MAX_MESSAGES = 1_000;
const MAX_OUTPUT_TOKENS = 32_768;
const MAX_STOPS = 4;

/** Answers `sampling/createMessage` with our own models, as a part of the call that it belongs to. */
export async function sampleFromModels(
  server: string,
  request: JsonObject,
  context: OngoingContext,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools } = request;
  if (asList(tools).length > 0) throw unusable(server, 'tools');
  const given = asList(messages);
  if (given.length === 0 || given.length > MAX_MESSAGES) throw unusable(server, 'messages');
  const stop = asList(stopSequences).filter((each) => typeof each === 'string');
  signal.throwIfAborted();
  const answer = await context.ask({
    messages: given.map((message) => toMessage(server, message)),
    ...(typeof systemPrompt === 'string' && systemPrompt !== '' && { system: systemPrompt }),
    ...(typeof temperature === 'number' && { sampling: { temperature } }),
    ...(stop.length > 0 && { stop: stop.slice(0, MAX_STOPS) }),
    maxOutputTokens: Math.min(positive(maxTokens) ?? MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS),
    search: 'off',
    // A server takes passages of its own prompt for an answer.
    lastResort: 'none',
  });
  return {
    role: 'assistant',
    content: { type: 'text', text: answer.text },
    model: answer.model,
    stopReason: answer.stopText === undefined ? STOP_REASONS[answer.finish] : 'stopSequence',
  };
}

const STOP_REASONS: Record<FinishReason, string> = {
  stop: 'endTurn',
  length: 'maxTokens',
  tool_calls: 'toolUse',
};

function toMessage(server: string, message: unknown): ChatMessage {
  const { role, content }: Members = isObject(message) ? message : {};
  const blocks = Array.isArray(content) ? (content as readonly unknown[]) : [content];
  if (role === 'assistant') {
    const texts = blocks.map((block) => toPart(server, block));
    return { role, content: texts.map((part) => (part.type === 'text' ? part.text : '')).join('') };
  }
  return { role: 'user', content: blocks.map((block) => toPart(server, block)) };
}

function toPart(server: string, block: unknown): ChatPart {
  const { type, text, data, mimeType }: Members = isObject(block) ? block : {};
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') {
    return { type, source: { base64: data, mediaType: mimeType } };
  }
  throw unusable(server, 'content');
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function unusable(server: string, field: string): CallError {
  const message = `The MCP server ${server} asks a model with "${field}" that EX-AI does not support.`;
  return new CallError('bad_request', message, { field });
}
