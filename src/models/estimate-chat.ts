import type { ChatMessage, ChatPart, ChatTool } from '#core/llm/chat.ts';
import type { Json } from '#core/json/json.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** Tokens of role markers around every message, and before the answer. */
export const MESSAGE_TOKENS = 4;
const BEFORE_ANSWER = 3;
/** Tokens of the name, id and frame of a tool call or tool. */
const PER_TOOL = 8;

/**
 * Flat rate per image: the real number depends on its size, which may be unknown. Kimi's
 * documentation has 1,024.
 */
const PER_PART: Readonly<Record<Exclude<ChatPart['type'], 'text'>, number>> = {
  image: 1_024,
  video: 8_192,
  file: 8_192,
};

/** Shorter texts take less time than looking them up. */
const REMEMBERED_CHARS = 4_096;
/**
 * Tokens of long messages, and of schemas: each is estimated by the manager, by the provider and
 * for each candidate, and takes milliseconds per megabyte.
 */
const known = new WeakMap<object, number>();

/**
 * Estimates the prompt tokens of a request, rather too many than too few. Image bytes are not
 * counted as text.
 */
export function estimateChat(
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[] = [],
): number {
  let total = BEFORE_ANSWER;
  for (const message of messages) total += MESSAGE_TOKENS + messageTokens(message);
  for (const { name, description, parameters } of tools) {
    total += PER_TOOL + estimateTokens(name) + estimateTokens(description) + jsonTokens(parameters);
  }
  return total;
}

/** Estimates a message once for all later estimates of requests that contain it. */
export function rememberTokens(message: ChatMessage, tokens = countMessage(message)): void {
  known.set(message, tokens);
}

/** Characters of a message that are estimated; pictures have none. */
export function estimatedChars({ content }: ChatMessage): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

/** Tokens of the parameters of a tool, remembered for later estimates. */
export function schemaTokens({ parameters }: ChatTool): number {
  return jsonTokens(parameters);
}

function messageTokens(message: ChatMessage): number {
  const remembered = known.get(message);
  if (remembered !== undefined) return remembered;
  const tokens = countMessage(message);
  if (estimatedChars(message) >= REMEMBERED_CHARS) known.set(message, tokens);
  return tokens;
}

function countMessage(message: ChatMessage): number {
  switch (message.role) {
    case 'system':
      return estimateTokens(message.content);
    case 'tool':
      return PER_TOOL + estimateTokens(message.name ?? '') + estimateTokens(message.content);
    case 'user':
      if (typeof message.content === 'string') return estimateTokens(message.content);
      return message.content.reduce((sum, part) => sum + partTokens(part), 0);
    case 'assistant': {
      let total = estimateTokens(message.content) + reasoningTokens(message);
      for (const { name, arguments: given } of message.toolCalls ?? []) {
        total += PER_TOOL + estimateTokens(name) + estimateTokens(given);
      }
      return total;
    }
  }
}

/** The typed form repeats the plain one, so only one of them counts. */
function reasoningTokens({
  reasoning,
  reasoningDetails,
}: Extract<ChatMessage, { role: 'assistant' }>): number {
  if (reasoning !== undefined) return estimateTokens(reasoning);
  return reasoningDetails ? jsonTokens(reasoningDetails) : 0;
}

function partTokens(part: ChatPart): number {
  return part.type === 'text' ? estimateTokens(part.text) : PER_PART[part.type];
}

function jsonTokens(json: Json): number {
  if (typeof json !== 'object' || json === null) return countJson(json);
  const remembered = known.get(json);
  if (remembered !== undefined) return remembered;
  const tokens = countJson(json);
  known.set(json, tokens);
  return tokens;
}

/** Without recursion, as untrusted schemas may be deeply nested. */
function countJson(json: Json): number {
  let total = 0;
  const rest: Json[] = [json];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') total += 1 + estimateTokens(value);
    else if (typeof value !== 'object' || value === null) total += 1;
    else {
      total += 1;
      for (const [key, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) total += 1 + estimateTokens(key);
        rest.push(inner);
      }
    }
  }
  return total;
}
