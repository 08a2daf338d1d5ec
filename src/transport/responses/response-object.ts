import type { FinishReason } from '#core/llm/chat.ts';
import type { Notice } from '#core/messages/notices.ts';
import { answerUsage, type AnswerUsage } from '../gateway/answer-usage.ts';
import type { FinishedChat } from '../gateway/dialect.ts';
import { exaiExtension } from '../gateway/exai-extension.ts';
import type { JsonFields } from '../gateway/fields.ts';
import { toSeconds } from '../openai/chat-response.ts';
import type { OutputItem } from './output-items.ts';
import type { ResponsesRequest } from './request.ts';

/** What a response object is made of, apart from its state. */
export interface ResponseHead {
  readonly id: string;
  readonly createdAtMs: number;
  readonly model: string;
}

/** The response object while it is written. */
export function openResponse(
  { id, createdAtMs, model }: ResponseHead,
  { echo, store }: Pick<ResponsesRequest, 'echo' | 'store'>,
): JsonFields {
  return {
    id,
    object: 'response',
    created_at: toSeconds(createdAtMs),
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    ...echo,
    store,
    usage: null,
  };
}

export interface FinishedResponse {
  readonly finished: FinishedChat;
  readonly output: readonly OutputItem[];
  readonly notices: readonly Notice[];
}

/** The response object of a finished answer. */
export function finishResponse(
  open: JsonFields,
  { finished, output, notices }: FinishedResponse,
): JsonFields {
  const { answer, envelope, atMs } = finished;
  const [choice] = answer.choices;
  const status = statusOf(choice?.finish ?? 'stop');
  return {
    ...open,
    status,
    completed_at: status === 'completed' ? toSeconds(atMs) : null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    model: choice?.model ?? envelope.model ?? open['model'],
    output,
    usage: writeResponsesUsage(answerUsage(answer)),
    exai: exaiExtension(finished, notices),
  };
}

function statusOf(finish: FinishReason): 'completed' | 'incomplete' {
  return finish === 'length' ? 'incomplete' : 'completed';
}

/** The `usage` object. All members are present, as clients add them up without checking. */
export function writeResponsesUsage({ input, output, cached, reasoning }: AnswerUsage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
