import type { GatewayDialect } from '../gateway/dialect.ts';
import { readOpenAiChat } from './chat-request.ts';
import { openAiErrorResponse } from './errors.ts';

/** OpenAI's Chat Completions API, which most clients use. */
export function createOpenAiDialect(): GatewayDialect {
  return {
    name: 'openai',
    idHeader: 'x-request-id',
    readChat: readOpenAiChat,
    errorResponse: openAiErrorResponse,
  };
}
