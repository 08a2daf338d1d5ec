import type { GatewayChoice } from '#core/llm/gateway.ts';

/** A choice with these members, and empty ones otherwise. */
export function choiceOf(members: Partial<GatewayChoice> = {}): GatewayChoice {
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
    ...members,
  };
}
