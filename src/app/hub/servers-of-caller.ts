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
  const known = registry.all().filter(({ origin }) => origin);
  const servers = new Set(known.map(({ origin }) => origin?.server));
  const usable = new Set(
    known
      .filter((tool) => access.decide(caller, tool).verdict !== 'deny')
      .map(({ origin }) => origin?.server),
  );
  return upstreams.filter(({ name }) =>
    servers.has(name)
      ? usable.has(name)
      : access.decide(caller, unknownToolOf(name)).verdict !== 'deny',
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
