import type { AskRequest } from '#core/llm/ask.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { choiceOf as anyChoice } from '../gateway/gateway-choice.fixture.ts';
import type { GatewayRequestOptions } from '../gateway/request-options.ts';
import type { FinishedChat } from '../gateway/dialect.ts';
import { readOpenAiChat } from './chat-request.ts';

export const HELLO = [{ role: 'user', content: 'Hello?' }] as const;

/** The AskRequest of a body; a question is added if it has none. */
export function askOf(body: object, options: GatewayRequestOptions = {}): AskRequest {
  return readOpenAiChat({ messages: HELLO, ...body }, options).chat.ask;
}

export function choiceOf(said: Partial<GatewayChoice> = {}): GatewayChoice {
  const usage = { input: 10, output: 5, cached: 4, reasoning: 2, estimated: false };
  return anyChoice({ text: 'Hello!', model: 'kimi-k2.6', usage, ...said });
}

export const ENVELOPE: Envelope = {
  status: 'success',
  tool: 'gateway_chat',
  provider: 'kimi',
  model: 'kimi-k2.6',
  attempt: 2,
  req_id: 'req_1',
  content: null,
  usage: { input: 31, output: 9, cached: 8, reasoning: 3, cost_usd: 0.01, estimated: false },
  route: {
    class: 'chat',
    because: ['It was asked for.'],
    attempts: [
      {
        attempt: 1,
        provider: 'glm',
        model: 'glm-5.3',
        elapsed_ms: 20,
        outcome: 'timeout',
        because: 'It was slow.',
      },
      { attempt: 2, provider: 'kimi', model: 'kimi-k2.6', elapsed_ms: 30, outcome: 'ok' },
    ],
    seams: [{ at: 3, provider: 'kimi', model: 'kimi-k2.6' }],
  },
};

/** The exai member of responses with `ENVELOPE`. */
export const EXAI = {
  req_id: 'req_1',
  provider: 'kimi',
  model: 'kimi-k2.6',
  attempts: [
    { attempt: 1, provider: 'glm', model: 'glm-5.3', outcome: 'timeout', elapsed_ms: 20 },
    { attempt: 2, provider: 'kimi', model: 'kimi-k2.6', outcome: 'ok', elapsed_ms: 30 },
  ],
  because: ['It was asked for.'],
  seams: [{ at: 3, provider: 'kimi', model: 'kimi-k2.6' }],
  usage_total: { input_tokens: 31, output_tokens: 9, cached_tokens: 8, reasoning_tokens: 3 },
  cost_usd: 0.01,
};

export const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

export function finishedWith(...choices: GatewayChoice[]): FinishedChat {
  return { reqId: 'req_1', atMs: 1_700_000_000_999, answer: { choices }, envelope: ENVELOPE };
}
