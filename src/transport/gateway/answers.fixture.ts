import type { GatewayChoice } from '#core/gateway.ts';

/** An answer that says nothing but this. */
export function choiceOf(said: Partial<GatewayChoice> = {}): GatewayChoice {
  return {
    text: '',
    reasoning: '',
    reasoningDetails: [],
    toolCalls: [],
    citations: [],
    finish: 'stop',
    provider: 'kimi',
    model: 'kimi-k3',
    seams: [],
    ...said,
  };
}
