import type { Access } from '#calls/access.ts';
import type { ContentRegistry } from '#calls/content-registry.ts';
import type { Registry } from '#calls/registry.ts';
import { createServerView } from '#calls/server-view.ts';
import type { Config } from '#config/schema/config.schema.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { didYouMean } from '#core/text/text.ts';
import type { McpDeps } from '#transport/mcp/mcp-session.ts';

interface ServerViewParts {
  /** Of sessions that see everything. */
  readonly mcp: McpDeps;
  readonly config: Pick<Config, 'mcpServers' | 'tools'>;
  readonly registry: Registry;
  readonly content: ContentRegistry;
  readonly access: Access;
}

/**
 * What a session needs that shows one server behind this one. Its client finds no tools for jobs and
 * long results there, so calls stay with it to their end and results come whole.
 */
export function depsOfServer(server: string, parts: ServerViewParts): McpDeps {
  const { mcp, config, registry, content, access } = parts;
  const { calls, clock, log, watching } = mcp;
  return {
    calls: createServerView({
      server,
      calls,
      registry,
      content,
      access,
      get pageSize() {
        return config.tools.pageSize;
      },
    }),
    clock,
    log,
    watching,
    serverInfo: (caller) => ({
      ...mcp.serverInfo(caller),
      instructions: `The tools of the MCP server ${server}, by EX-AI.`,
    }),
    get outputSchemas() {
      return config.tools.outputSchemas;
    },
  };
}

/** Why there is nothing to show; undefined: there is such a server. */
export function refuseServer(
  server: string,
  { config, registry }: Pick<ServerViewParts, 'config' | 'registry'>,
): CallError | undefined {
  if (Object.hasOwn(config.mcpServers, server)) return undefined;
  if (registry.all().some(({ origin }) => origin?.server === server)) return undefined;
  const hint = didYouMean(server, Object.keys(config.mcpServers));
  return codedError('not_found', reason('unknown_server', { server, hint }), {
    field: 'server',
    fix: 'List the servers with: exai servers list',
  });
}
