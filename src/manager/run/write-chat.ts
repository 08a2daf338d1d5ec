import type { AskRequest } from '#core/ask.ts';
import type { ChatMessage, ChatRequest, WebSearch } from '#core/chat.ts';
import { oneLine } from '#core/one-line.ts';
import type { Candidate } from '#core/route.ts';
import { questionOf } from '../question-of.ts';
import type { Continuation } from './continuation.ts';

/** The request to one candidate, in nobody's dialect. */
export function writeChat(
  request: AskRequest,
  { model, thinking, search, isLastResort }: Candidate,
  { messages, continuation }: Continuation,
  cacheKey: string | undefined,
): ChatRequest {
  const { sampling, stop, maxOutputTokens } = request;
  const { tools, toolChoice, responseFormat } = isLastResort ? NOTHING_BUT_WORDS : request;
  return {
    model,
    messages: isLastResort ? messages.map(inWords) : messages,
    delivery: request.delivery ?? 'stream',
    ...(tools && { tools }),
    ...(toolChoice && { toolChoice }),
    ...(responseFormat && { responseFormat }),
    ...(thinking && { thinking }),
    ...(sampling && { sampling }),
    ...(stop && { stop }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(cacheKey !== undefined && { cacheKey }),
    ...(search === 'provider' && { webSearch: searchOf(request) }),
    ...(continuation && { continuation }),
  };
}

/** Whoever only quotes what was given calls no tools, fills in no forms and sees no pictures. */
const NOTHING_BUT_WORDS: Pick<AskRequest, 'tools' | 'toolChoice' | 'responseFormat'> = {};

function inWords(message: ChatMessage): ChatMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  return { ...message, content: message.content.filter(({ type }) => type === 'text') };
}

const MAX_QUERY_CHARS = 200;

/** Who wants a search gets one, also where the model would do without: a question that is short enough is searched for. */
function searchOf(request: AskRequest): WebSearch {
  const question = questionOf(request).trim();
  if (request.search !== 'on' || question === '' || question.length > MAX_QUERY_CHARS) return {};
  return { query: oneLine(question, MAX_QUERY_CHARS) };
}
