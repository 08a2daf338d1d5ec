import type { AskRequest } from '#core/ask.ts';
import type { ChatMessage } from '#core/chat.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { instructionTokens, measureFiles, type MeasuredFiles } from './files-block.ts';
import type { Measured } from './fitted.ts';
import { messageTokens, readHistory, type History } from './history.ts';

/** More than any window holds; older messages are not even counted. */
const MAX_COUNTED_TOKENS = 2_000_000;

/** Beside the sums, everything that fitting looks at. */
export interface MeasuredParts extends Measured {
  /** Tools, the format of the answer, and the frame of it all. */
  readonly frameTokens: number;
  /** What the system says, the word about files included. */
  readonly systemTokens: number;
  /** Instructions at the beginning of the conversation, which stay there. */
  readonly opening: readonly ChatMessage[];
  readonly openingTokens: number;
  readonly files: MeasuredFiles;
  readonly history: History;
}

/** Counts every part once. One pass over the texts; of the conversation from its end, and no more than any window holds. */
export function measure(request: AskRequest): MeasuredParts {
  const { system = '', messages, files: given = [] } = request;
  const files = measureFiles(given);
  const { opening, openingTokens } = openingOf(messages);
  const history = readHistory(
    messages,
    opening.length,
    Math.max(1, MAX_COUNTED_TOKENS - openingTokens),
  );
  const frameTokens = estimateChat([], request.tools) + formatTokens(request);
  const told = system.trim() === '' ? 0 : estimateTokens(system);
  const hasFiles = files.list.length > 0;
  const about = hasFiles ? instructionTokens() : 0;
  const systemTokens = told + about === 0 ? 0 : told + about + emptyMessage();
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

/** Never the last message: that is what is asked, whoever says it. */
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

/** A schema goes along as the parameters of a tool do. */
function formatTokens({ responseFormat }: AskRequest): number {
  if (responseFormat?.type !== 'json_schema') return 0;
  const { name, schema } = responseFormat;
  return estimateChat([], [{ name, description: '', parameters: schema }]) - estimateChat([]);
}
