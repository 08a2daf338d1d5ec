import type { GatewayChoice } from '#core/gateway.ts';

/** Vendors do not tell a stop text from the end of the answer, so neither do we. */
export type StopReason = 'end_turn' | 'max_tokens' | 'tool_use';

export function stopReason({ finish, toolCalls }: GatewayChoice): StopReason {
  if (finish === 'length') return 'max_tokens';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}
