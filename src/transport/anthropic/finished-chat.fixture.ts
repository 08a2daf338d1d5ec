import type { Envelope } from '#core/calls/envelope.schema.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { choiceOf } from '../gateway/gateway-choice.fixture.ts';
import type { FinishedChat } from '../gateway/dialect.ts';
import type { ResponseStyle } from './message-response.ts';

export const STYLE: ResponseStyle = {
  search: 'off',
  showThinking: true,
  fullName: (name) => name,
  notices: [],
};

export const ENVELOPE: Envelope = {
  status: 'success',
  provider: 'kimi',
  model: 'kimi-k3',
  tool: 'gateway_chat',
  attempt: 1,
  req_id: 'req_1',
  content: null,
  usage: { input: 310, output: 70, cached: 80, reasoning: 6, cost_usd: 0.002, estimated: false },
  route: {
    class: 'chat',
    because: ['It was named.'],
    attempts: [
      { attempt: 1, provider: 'kimi', model: 'kimi-k3', elapsed_ms: 12, outcome: 'ok', next: 'x' },
    ],
  },
};

/** The `exai` member of its response. */
export const EXAI = {
  req_id: 'req_1',
  provider: 'kimi',
  model: 'kimi-k3',
  attempts: [{ attempt: 1, provider: 'kimi', model: 'kimi-k3', outcome: 'ok', elapsed_ms: 12 }],
  because: ['It was named.'],
  usage_total: { input_tokens: 310, output_tokens: 70, cached_tokens: 80, reasoning_tokens: 6 },
  cost_usd: 0.002,
};

export const USAGE = {
  input_tokens: 60,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 40,
  output_tokens: 20,
  output_tokens_details: { thinking_tokens: 5 },
  server_tool_use: null,
};

/** Beside the members of `USAGE`, in a message. */
export const MESSAGE_USAGE = {
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  service_tier: 'standard',
  inference_geo: null,
  speed: null,
};

const ANSWER_USAGE = { input: 100, output: 20, cached: 40, reasoning: 5, estimated: false };

export function finished(
  said: Partial<GatewayChoice>,
  envelope: Partial<Envelope> = {},
): FinishedChat {
  return {
    reqId: 'req_1',
    atMs: 1_760_054_749_591,
    answer: { choices: [choiceOf({ usage: ANSWER_USAGE, ...said })] },
    envelope: { ...ENVELOPE, ...envelope },
  };
}
