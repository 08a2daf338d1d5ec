import type { GatewayCount } from '#core/gateway.ts';
import { readBody } from '../gateway/fields.ts';
import { readAsk } from './read-ask.ts';

/** A request for the tokens of a message: the same body, without a limit of the answer. */
export function readCount(value: unknown): GatewayCount {
  const body = readBody(value, '{"model": "auto", "messages": […]}');
  return { ask: readAsk(body, {}).ask };
}

export function writeCount(tokens: number): string {
  return `{"input_tokens":${JSON.stringify(tokens)}}`;
}
