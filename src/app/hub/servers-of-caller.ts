import type { Access } from '#calls/access.ts';
import type { Registry } from '#calls/registry.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Upstream } from '#core/hub/upstream.ts';
import { upstreamToolName } from '#hub/catalogue/tool-name.ts';

interface AccessSources {
  readonly registry: Pick<Registry, 'all'>;
  readonly access: Pick<Access, 'decide'>;
}

/**
 * The servers of which a caller may use a tool. Of a server whose tools are not known, that is any
 * tool that only reads.
 */
export function serversOfCaller(
  upstreams: readonly Upstream[],
  caller: Caller,
  { registry, access }: AccessSources,
): readonly Upstream[] {
  const wanted = new Set(upstreams.map(({ name }) => name));
  /** Whether a tool of a server was found that the caller may use; a server has up to ten thousand. */
  const usable = new Map<string, boolean>();
  for (const tool of registry.all()) {
    const server = tool.origin?.server;
    if (server === undefined || !wanted.has(server) || usable.get(server)) continue;
    usable.set(server, access.decide(caller, tool).verdict !== 'deny');
  }
  return upstreams.filter(
    ({ name }) => usable.get(name) ?? access.decide(caller, unknownToolOf(name)).verdict !== 'deny',
  );
}

function unknownToolOf(server: string): Parameters<Access['decide']>[1] {
  const tool = 'tool';
  return {
    name: upstreamToolName(server, tool),
    origin: { server, tool },
    tier: 'user',
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
  };
}
