import { NAMED_PARAMETERS, encodeHeaderValue } from '#mcp/request-headers.ts';
import type { MessageFacts } from '../message-link.ts';

/** The headers that repeat what a request of the modern era says in its body. */
export function standardHeaders(
  { method, params }: MessageFacts,
  version: string,
): Record<string, string> {
  const field = NAMED_PARAMETERS.get(method);
  const name = field === undefined ? undefined : params[field];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  };
}
