import type { AskRequest } from '#core/llm/ask.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { instructionTokens, measureFiles, type MeasuredFiles } from './files-block.ts';
import type { MeasuredRequest } from './fit.ts';
import { messageTokens, splitHistory, type PromptHistory } from './history.ts';

/** More than any context window holds; older messages are not counted. */
const MAX_COUNTED_TOKENS = 2_000_000;

/** A measured request with all parts that fitting needs. */
export interface MeasuredParts extends MeasuredRequest {
  /** Tokens of tools, response format and overhead. */
  readonly frameTokens: number;
  /** Tokens of the system prompt, including the instruction about files. */
  readonly systemTokens: number;
  /** System messages at the beginning of the conversation, which stay there. */
  readonly opening: readonly ChatMessage[];
  readonly openingTokens: number;
  readonly files: MeasuredFiles;
  readonly history: PromptHistory;
}

/**
 * Counts the tokens of every part once. The conversation is counted from its end, up to what any
 * context window holds.
 */
export function measure(request: AskRequest): MeasuredParts {
  const { system = '', messages, files: given = [] } = request;
  const files = measureFiles(given);
  const { opening, openingTokens } = openingOf(messages);
  const history = splitHistory(
    messages,
    opening.length,
    Math.max(1, MAX_COUNTED_TOKENS - openingTokens),
  );
  const frameTokens = estimateChat([], request.tools) + formatTokens(request);
  const promptTokens = system.trim() === '' ? 0 : estimateTokens(system);
  const hasFiles = files.list.length > 0;
  const instruction = hasFiles ? instructionTokens() : 0;
  const systemTokens =
    promptTokens + instruction === 0 ? 0 : promptTokens + instruction + emptyMessage();
  const fileTokens = hasFiles ? files.tokens + emptyMessage() : 0;
  return {
    request,
    tokens: frameTokens + systemTokens + openingTokens + fileTokens + history.tokens,
    fileTokens,
    frameTokens,
    systemTokens,
    opening,
    openingTokens,
    files,
    history,
  };
}

function emptyMessage(): number {
  return messageTokens([{ role: 'system', content: '' }]);
}

/** The leading system messages. Never the last message, which is the question. */
function openingOf(
  messages: readonly ChatMessage[],
): Pick<MeasuredParts, 'opening' | 'openingTokens'> {
  let end = 0;
  let openingTokens = 0;
  while (end < messages.length - 1 && openingTokens < MAX_COUNTED_TOKENS) {
    const message = messages[end];
    if (message?.role !== 'system') break;
    openingTokens += messageTokens([message]);
    end += 1;
  }
  return { opening: messages.slice(0, end), openingTokens };
}

/** Tokens of a response schema, which is sent like the parameters of a tool. */
function formatTokens({ responseFormat }: AskRequest): number {
  if (responseFormat?.type !== 'json_schema') return 0;
  const { name, schema } = responseFormat;
  return estimateChat([], [{ name, description: '', parameters: schema }]) - estimateChat([]);
}
