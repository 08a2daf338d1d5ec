import type { Dialect } from '../gateway/dialect.ts';
import { readChat } from './read-chat.ts';
import { refusal } from './refusal.ts';

/** How OpenAI's clients speak, and all those that learned it from them. */
export function createOpenAiDialect(): Dialect {
  return { door: 'openai', idHeader: 'x-request-id', readChat, refusal };
}
