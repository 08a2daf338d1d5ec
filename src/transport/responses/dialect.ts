import type { GatewayDialect } from '../gateway/dialect.ts';
import { responsesErrorResponse } from './errors.ts';
import { readResponsesRequest } from './request.ts';
import { toResponsesChat } from './respond.ts';

const NOTHING_STORED = { previous: [], referenced: [] };
const NO_STORE = { store: { save: () => Promise.resolve() }, principal: '' };

/** OpenAI's Responses API. Requests that need stored responses are read by the endpoint. */
export function createResponsesDialect(): GatewayDialect {
  return {
    name: 'openai',
    idHeader: 'x-request-id',
    readChat: (body, options) => {
      const request = { ...readResponsesRequest(body, options), store: false };
      return toResponsesChat(request, NOTHING_STORED, NO_STORE);
    },
    errorResponse: responsesErrorResponse,
  };
}
