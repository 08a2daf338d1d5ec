import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Hub, Upstream } from '#core/hub/upstream.ts';
import { reason } from '#core/messages/reasons.ts';
import { didYouMean } from '#core/text/text.ts';

/** The server that the parameters of an owner's method name in a field. */
export function findServer(
  hub: Pick<Hub, 'find' | 'upstreams'>,
  params: unknown,
  field: 'name' | 'server',
): Upstream {
  const name = (params as Readonly<Record<string, unknown>> | undefined)?.[field];
  if (typeof name !== 'string' || name === '') {
    throw new CallError('validation', `"${field}" must be the name of an MCP server.`, { field });
  }
  const upstream = hub.find(name);
  if (upstream) return upstream;
  const hint = didYouMean(
    name,
    hub.upstreams().map((each) => each.name),
  );
  throw codedError('not_found', reason('unknown_server', { server: name, hint }), {
    field,
    fix: 'List the servers with: exai servers list',
  });
}
