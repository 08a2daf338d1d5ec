import type { GatewayDialect } from '../gateway/dialect.ts';
import { readAnthropicRequest } from './message-request.ts';
import { anthropicErrorResponse } from './errors.ts';

/** Anthropic's Messages API. */
export function createAnthropicDialect(): GatewayDialect {
  return {
    name: 'anthropic',
    idHeader: 'request-id',
    readChat: readAnthropicRequest,
    errorResponse: anthropicErrorResponse,
  };
}
