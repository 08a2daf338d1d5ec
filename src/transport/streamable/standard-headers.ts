import type { IncomingHttpHeaders } from 'node:http';
import type { RpcRequest } from '#mcp/read-message.ts';
import { decodeHeaderValue } from './header-value.ts';
import { mismatch, type Refusal } from './refusal.ts';

/** Where the name stands that a request is about. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Whether `Mcp-Method` and `Mcp-Name` say the same as the body, as they must since 2026-07-28. */
export function checkStandardHeaders(
  { method, params }: RpcRequest,
  headers: IncomingHttpHeaders,
): Refusal | undefined {
  const givenMethod = headers['mcp-method'];
  if (givenMethod !== method) {
    return mismatch(words('Mcp-Method', givenMethod, 'method'), {
      header: typeof givenMethod === 'string' ? givenMethod : null,
      body: method,
    });
  }
  const field = NAMED.get(method);
  const name = field === undefined ? undefined : params?.[field];
  // A request without a name is refused for that later.
  if (typeof name !== 'string') return undefined;
  const givenName = headers['mcp-name'];
  if (typeof givenName === 'string' && decodeHeaderValue(givenName) === name) return undefined;
  return mismatch(words('Mcp-Name', givenName, `params.${field}`), {
    header: typeof givenName === 'string' ? givenName : null,
    body: name,
  });
}

function words(header: string, given: unknown, field: string): string {
  return given === undefined
    ? `The header ${header} is missing. Send it with the value of ${field}.`
    : `The header ${header} and ${field} differ. Send the same value in both.`;
}
