import type { Question } from '../answer.ts';
import type { Dictionary } from '../is-object.ts';
import { countTokens } from '../tokens.ts';
import type { Thinking } from './thinking.ts';

const TOKENS_PER_MESSAGE = 4;
/** Flat for each picture, as the vendor's help page of 2025 says; videos are counted like it. */
const TOKENS_PER_MEDIA = 1_024;

/**
 * The tokens of a prompt: texts, calls, pictures and tools. Reasoning counts after the last
 * question, before it only when kept.
 */
export function countPrompt(
  question: Question,
  messages: readonly Dictionary[],
  keeps: Thinking['keeps'],
): number {
  const lastUser = question.messages.findLastIndex((message) => message.role === 'user');
  let tokens = question.tools.length === 0 ? 0 : countTokens(JSON.stringify(question.tools));
  for (const [index, message] of question.messages.entries()) {
    tokens +=
      TOKENS_PER_MESSAGE + countTokens(message.text) + message.media.length * TOKENS_PER_MEDIA;
    for (const call of message.calls)
      tokens += countTokens(call.name) + countTokens(call.arguments);
    const reasoning = messages[index]?.['reasoning_content'];
    if (typeof reasoning === 'string' && (keeps === 'all' || index > lastUser))
      tokens += countTokens(reasoning);
  }
  return tokens;
}
