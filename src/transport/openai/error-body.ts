import type { CallError } from '#core/call-error.ts';
import { gatewayMessage, gatewayRenderer } from '../gateway/gateway-sentences.ts';
import { asWritten, type WrittenNames } from '../gateway/written-field.ts';
import { errorWords } from './error-words.ts';

const NAMES: WrittenNames = new Map([
  ['prompt', 'messages'],
  ['max_output_tokens', 'max_completion_tokens'],
  ['maxOutputTokens', 'max_completion_tokens'],
  ['toolChoice', 'tool_choice'],
  ['responseFormat', 'response_format'],
  ['max_cost_usd', 'exai.max_cost_usd'],
  ['fallback', 'exai.fallback'],
  ['prefer', 'exai.prefer'],
]);
const renderer = gatewayRenderer(NAMES);

/** What is told of a failed request beside the error. */
export interface FailureFacts {
  readonly req_id: string;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** A failure as OpenAI's clients read it. They keep `error` and drop the rest, so the class stands in both. */
export function errorBody(error: CallError, told: FailureFacts) {
  const { field, provider, model } = error;
  const { type, code } = errorWords(error);
  return {
    error: {
      message: gatewayMessage(error, renderer),
      type,
      param: field === undefined ? null : asWritten(field, NAMES),
      code,
      class: error.class,
      req_id: told.req_id,
    },
    exai: {
      class: error.class,
      ...told,
      provider: told.provider ?? provider,
      model: told.model ?? model,
    },
  };
}
