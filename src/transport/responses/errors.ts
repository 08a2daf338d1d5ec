import type { CallError } from '#core/errors/call-error.ts';
import type { ErrorResponse } from '../gateway/dialect.ts';
import { openAiErrorBody, openAiErrorNames, openAiErrorResponse } from '../openai/errors.ts';

/** The field `prompt` of a request; our own `prompt` is what the API calls `input`. */
export const PROMPT_TEMPLATE = 'prompt_template';

const NAMES = openAiErrorNames(
  new Map([
    ['prompt', 'input'],
    [PROMPT_TEMPLATE, 'prompt'],
    ['messages', 'input'],
    ['maxOutputTokens', 'max_output_tokens'],
    ['toolChoice', 'tool_choice'],
    ['responseFormat', 'text.format'],
    ['max_cost_usd', 'exai.max_cost_usd'],
    ['fallback', 'exai.fallback'],
    ['prefer', 'exai.prefer'],
  ]),
);

export function responsesErrorBody(
  error: CallError,
  context: Parameters<typeof openAiErrorBody>[1],
): ReturnType<typeof openAiErrorBody> {
  return openAiErrorBody(error, context, NAMES);
}

/** The HTTP response for an error before a response has begun. */
export function responsesErrorResponse(error: CallError, reqId: string): ErrorResponse {
  return openAiErrorResponse(error, reqId, NAMES);
}
