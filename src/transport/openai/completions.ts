import type { AskRequest } from '#core/llm/ask.ts';
import type { FinishReason } from '#core/llm/chat.ts';
import { answerUsage } from '../gateway/answer-usage.ts';
import type {
  FailedChat,
  FinishedChat,
  GatewayDialect,
  ParsedChat,
  StreamWriter,
} from '../gateway/dialect.ts';
import { exaiExtension, vendorStyleId } from '../gateway/exai-extension.ts';
import {
  fieldProblem,
  isAbsent,
  isVisible,
  readBodyObject,
  readBoolean,
  readInteger,
  readTokenLimit,
  type JsonFields,
} from '../gateway/fields.ts';
import { readBodyOptions, type GatewayRequestOptions } from '../gateway/request-options.ts';
import { MAX_CHOICES, readSampling, readStops, wantsUsage } from './chat-request.ts';
import { toSeconds, writeOpenAiUsage } from './chat-response.ts';
import { openAiErrorBody, openAiErrorNames, openAiErrorResponse } from './errors.ts';
import { readModelName } from '../gateway/model-name.ts';

const NAMES = openAiErrorNames(
  new Map([
    ['messages', 'prompt'],
    ['max_output_tokens', 'max_tokens'],
    ['maxOutputTokens', 'max_tokens'],
    ['max_cost_usd', 'exai.max_cost_usd'],
    ['fallback', 'exai.fallback'],
    ['prefer', 'exai.prefer'],
  ]),
);

/** OpenAI's older completions without a chat: the prompt is one message of the user. */
export function createCompletionsDialect(): GatewayDialect {
  return {
    name: 'openai',
    idHeader: 'x-request-id',
    readChat: readCompletion,
    errorResponse: (error, reqId) => openAiErrorResponse(error, reqId, NAMES),
  };
}

/** Reads the body of `POST /v1/completions`. */
function readCompletion(value: unknown, options: GatewayRequestOptions): ParsedChat {
  const body = readBodyObject(value, '{"model": "auto", "prompt": "…"}');
  const choices = readInteger(body['n'], 'n', 1, MAX_CHOICES) ?? 1;
  rejectUnsupported(body, choices);
  const delivery = readBoolean(body['stream'], 'stream') ? 'stream' : 'whole';
  const prompt = readPrompt(body['prompt']);
  const sampling = readSampling(body);
  const stop = readStops(body['stop']);
  const maxOutputTokens = readTokenLimit(body['max_tokens'], 'max_tokens');
  const ask: AskRequest = {
    model: readModelName(body['model']),
    messages: [{ role: 'user', content: prompt }],
    search: 'off',
    lastResort: 'none',
    context: 'whole',
    delivery,
    ...(sampling && { sampling }),
    ...(stop && { stop }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...readBodyOptions(body['exai']),
    ...options,
  };
  const echo = readBoolean(body['echo'], 'echo') ? prompt : '';
  const includeUsage = wantsUsage(body['stream_options']);
  return {
    chat: { ask, choices },
    delivery,
    renderResponse: (finished) => writeCompletion(finished, echo),
    createWriter: () => createCompletionWriter({ choices, includeUsage, echo }),
  };
}

function readPrompt(value: unknown): string {
  const prompts = (Array.isArray(value) ? value : [value]) as readonly unknown[];
  const [prompt] = prompts;
  if (typeof prompt === 'number' || Array.isArray(prompt)) {
    throw fieldProblem(
      'prompt',
      'has tokens, which mean something else to every model',
      'Send a text.',
    );
  }
  if (typeof prompt !== 'string') throw fieldProblem('prompt', 'must be a text', 'Send a text.');
  if (prompts.length > 1) {
    throw fieldProblem('prompt', 'has several texts', 'Send a request for each of them.');
  }
  if (!isVisible(prompt)) throw fieldProblem('prompt', 'is empty', 'Send a text.');
  return prompt;
}

function rejectUnsupported(body: JsonFields, choices: number): void {
  const { suffix, logprobs, best_of: bestOf, logit_bias: bias } = body;
  const unsupported = (field: string, why: string) =>
    fieldProblem(field, `is not supported: ${why}`, `Leave ${field} out.`);
  if (!isAbsent(suffix) && suffix !== '') {
    throw unsupported('suffix', 'chat models cannot fill in the middle of a text');
  }
  if (!isAbsent(logprobs)) throw unsupported('logprobs', 'token probabilities are not available');
  if (!isAbsent(bias)) throw unsupported('logit_bias', 'each model has its own tokens');
  if (!isAbsent(bestOf) && bestOf !== choices) {
    throw unsupported('best_of', 'answers cannot be compared by their probabilities');
  }
}

function completionOf(index: number, text: string, finish: FinishReason | null) {
  return { text, index, logprobs: null, finish_reason: finish === 'tool_calls' ? 'stop' : finish };
}

function headOf(reqId: string, atMs: number, model: string) {
  return {
    id: vendorStyleId('cmpl-', reqId),
    object: 'text_completion',
    created: toSeconds(atMs),
    model,
  };
}

function writeCompletion(finished: FinishedChat, echo: string): string {
  const { reqId, atMs, answer, envelope } = finished;
  return JSON.stringify({
    ...headOf(reqId, atMs, answer.choices[0]?.model ?? envelope.model ?? 'auto'),
    choices: answer.choices.map(({ text, finish }, index) =>
      completionOf(index, echo + text, finish),
    ),
    usage: writeOpenAiUsage(answerUsage(answer)),
    exai: exaiExtension(finished),
  });
}

interface CompletionWriterOptions {
  readonly choices: number;
  readonly includeUsage: boolean;
  /** The prompt, if it is repeated before each answer. */
  readonly echo: string;
}

function createCompletionWriter(options: CompletionWriterOptions): StreamWriter {
  const { choices, includeUsage, echo } = options;
  const emittedChars = Array.from({ length: choices }, () => 0);
  const isEchoed = Array.from({ length: choices }, () => echo === '');
  let head: object = {};

  function chunk(
    index: number,
    text: string,
    finish: FinishReason | null,
    more: object = {},
  ): string {
    const prefix = isEchoed[index] ? '' : echo;
    isEchoed[index] = true;
    const usage = includeUsage ? { usage: null } : {};
    const choice = completionOf(index, prefix + text, finish);
    return `data: ${JSON.stringify({ ...head, choices: [choice], ...usage, ...more })}\n\n`;
  }

  return {
    keepalive: ': still here\n\n',
    begin(reqId, atMs, { model }) {
      head = headOf(reqId, atMs, model);
      return '';
    },
    piece(piece, index) {
      if (piece.type !== 'text' || piece.text === '') return '';
      emittedChars[index] = (emittedChars[index] ?? 0) + piece.text.length;
      return chunk(index, piece.text, null);
    },
    end(finished) {
      const { answer } = finished;
      const last = answer.choices.length - 1;
      let events = '';
      for (const [index, { text, finish }] of answer.choices.entries()) {
        const more = index === last ? { exai: exaiExtension(finished) } : {};
        events += chunk(index, text.slice(emittedChars[index]), finish, more);
      }
      if (includeUsage) {
        const usage = writeOpenAiUsage(answerUsage(answer));
        events += `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`;
      }
      return `${events}data: [DONE]\n\n`;
    },
    fail: (failed: FailedChat) =>
      `data: ${JSON.stringify(openAiErrorBody(failed.error, exaiExtension(failed), NAMES))}\n\n`,
  };
}
