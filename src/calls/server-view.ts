import { hash } from 'node:crypto';
import type { Caller } from '#core/calls/call.ts';
import type { Calls, ListKind, ToolList } from '#core/calls/calls.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Access } from './access.ts';
import type { Callable } from './content-callables.ts';
import type { ContentRegistry } from './content-registry.ts';
import { createPages, toListedTool } from './lists.ts';
import type { Registry } from './registry.ts';

export interface ServerViewOptions {
  /** The name of an MCP server behind this one. */
  readonly server: string;
  readonly calls: Calls;
  readonly registry: Registry;
  readonly content: ContentRegistry;
  readonly access: Access;
  readonly pageSize: number;
}

/**
 * The calls that a client sees for which EX-AI is one of the servers behind it: that server's tools
 * and prompts under their own names, its resources, and nothing else. Access, limits and audit are
 * those of every call.
 */
export function createServerView(options: ServerViewOptions): Calls {
  const { server, calls, registry, content, access } = options;
  const isOwn = ({ origin }: Pick<Tool, 'origin'>) => origin?.server === server;

  /** All tools that `own` was made of; a change makes another list. */
  let all: readonly Tool[] | undefined;
  let own: readonly Tool[] = [];

  function tools(): readonly Tool[] {
    const now = registry.all();
    if (now !== all) own = now.filter(isOwn);
    all = now;
    return own;
  }

  function usable(caller: Caller): readonly Tool[] {
    return tools().filter(({ name }) => calls.decide(caller, name).verdict !== 'deny');
  }

  function listed(caller: Caller) {
    return usable(caller)
      .filter(({ quarantine }) => quarantine === undefined)
      .map((tool) => ({ ...toListedTool(tool, registry), name: ownName(tool) }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** The name that the rest of the program uses; one that no tool has where there is none. */
  function toolName(own: string): string {
    return tools().find((tool) => ownName(tool) === own)?.name ?? `${server}:${own}`;
  }

  function prompts(): readonly Callable[] {
    return content.all('prompts').filter(({ tool }) => isOwn(tool));
  }

  function promptName(own: string): string {
    return prompts().find(({ tool }) => ownName(tool) === own)?.key ?? `${server}:${own}`;
  }

  function list(caller: Caller): ToolList {
    const found = listed(caller);
    const json = JSON.stringify(found);
    return { version: hash('sha256', json).slice(0, 16), tools: found, json };
  }

  function entriesOf(caller: Caller, kind: ListKind) {
    if (kind === 'tools') {
      return listed(caller).map((tool) => ({ key: tool.name, json: JSON.stringify(tool) }));
    }
    return content
      .all(kind)
      .filter(({ tool }) => isOwn(tool))
      .filter((callable) => access.decideCallable(caller, callable).verdict !== 'deny')
      .map(({ key, listed: entry, tool }) => {
        const shown = kind === 'prompts' ? { ...entry, name: ownName(tool) } : entry;
        return { key, json: JSON.stringify(shown) };
      });
  }

  /** An address that is not one of this server is not found, also where another server has it. */
  function resourceUri(uri: string, caller: Caller): string {
    const found = content.at(uri, caller);
    return found && isOwn(found.tool) ? uri : `${server}:${uri}`;
  }

  function renamed<T extends Parameters<Calls['start']>[0]>(request: T): T {
    const { kind = 'tool', tool, caller } = request;
    if (kind === 'prompt') return { ...request, tool: promptName(tool) };
    if (kind === 'resource') return { ...request, tool: resourceUri(tool, caller) };
    return { ...request, tool: toolName(tool) };
  }

  return {
    start: (request) => calls.start(renamed(request)),
    accepts: (request) => calls.accepts(renamed(request)),
    list,
    find: (name) => registry.find(toolName(name)),
    decide: (caller, tool, args) => calls.decide(caller, toolName(tool), args),
    page: (caller, kind, cursor) => createPages(entriesOf(caller, kind), options.pageSize)(cursor),
    async complete(caller, request) {
      const { of } = request;
      if ('prompt' in of) {
        return calls.complete(caller, { ...request, of: { prompt: promptName(of.prompt) } });
      }
      const template = content.template(of.template);
      const isThere = template !== undefined && isOwn(template.tool);
      const known = isThere ? of.template : `${server}:${of.template}`;
      return calls.complete(caller, { ...request, of: { template: known } });
    },
    canWatch: (caller, uri) => calls.canWatch(caller, resourceUri(uri, caller)),
    onChange: (listener) => calls.onChange(listener),
    load: () => calls.load(),
  };
}

function ownName({ name, origin }: Pick<Tool, 'name' | 'origin'>): string {
  return origin?.tool ?? name;
}
