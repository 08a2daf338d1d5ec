import { hash } from 'node:crypto';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Caller } from '#core/calls/call.ts';
import type { Calls, ListedTool, ListKind, ListPage, ToolList } from '#core/calls/calls.ts';
import {
  clientOutputSchema,
  hasStructuredContent,
  type StructuredContentOptions,
} from '#core/tools/structured-content.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Access } from './access.ts';
import type { ContentRegistry } from './content-registry.ts';
import type { Registry } from './registry.ts';

const MAX_TOOL_LISTS = 256;

/** Tool lists by scopes, and by agent and its client, cached until the tools change. */
export function createToolLists(registry: Registry, access: Access): (caller: Caller) => ToolList {
  const lists = createBoundedMap<string, ToolList>({ maxEntries: MAX_TOOL_LISTS });
  registry.onChange(() => lists.clear());
  return (caller) => {
    const key = rightsOf(caller);
    let list = lists.get(key);
    if (!list) {
      list = toList(registry, access, caller);
      lists.set(key, list);
    }
    return list;
  };
}

/** Callers with the same key have the same rights. */
function rightsOf({ agent, principal, scopes }: Caller): string {
  // Scopes have no brackets.
  if (agent !== undefined) return JSON.stringify([agent, principal, scopes]);
  return scopes.join('\n');
}

function toList(registry: Registry, access: Access, caller: Caller): ToolList {
  const listed = new Set(registry.listed());
  const isUsable = (tool: Tool) => access.decide(caller, tool).verdict !== 'deny';
  const tools = registry
    .listed()
    .filter((tool) => isUsable(tool) && isOfUse(tool, { registry, listed, isUsable }))
    .map((tool) => toListedTool(tool, registry));
  const json = JSON.stringify(tools);
  return { version: hash('sha256', json).slice(0, 16), tools, json };
}

interface Reachable {
  readonly registry: Registry;
  readonly listed: ReadonlySet<Tool>;
  readonly isUsable: (tool: Tool) => boolean;
}

/** Whether a tool that gives access to others gives this caller access to one that is not listed. */
function isOfUse({ reaches }: Tool, { registry, listed, isUsable }: Reachable): boolean {
  if (reaches === undefined) return true;
  // It ends at the first one, so that thousands of tools cost nothing.
  return registry.all().some((tool) => {
    if (tool.reaches) return false;
    // Search also explains the tools that are listed.
    if (reaches === 'all') return isUsable(tool);
    const isOther = !listed.has(tool) && tool.annotations.readOnlyHint === (reaches === 'reading');
    return isOther && isUsable(tool);
  });
}

/** A tool as clients see it. */
export function toListedTool(tool: Tool, options: StructuredContentOptions): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, icons } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema &&
      hasStructuredContent(tool, options) && {
        outputSchema: tool.origin ? outputSchema : clientOutputSchema(outputSchema),
      }),
    annotations,
    ...(icons && { icons }),
  };
}

const MAX_LISTS = 256;

/** Paged lists by the same, cached until something changes. */
export function createListPages(
  tools: (caller: Caller) => ToolList,
  options: {
    readonly registry: Registry;
    readonly content: ContentRegistry;
    readonly access: Access;
    readonly pageSize: number;
  },
): Calls['page'] {
  const { registry, content, access } = options;
  const made = createBoundedMap<string, ReturnType<typeof createPages>>({ maxEntries: MAX_LISTS });
  registry.onChange(() => made.clear());
  content.onChange((change) => {
    if ('list' in change) made.clear();
  });

  function entriesOf(caller: Caller, kind: ListKind): ListEntry[] {
    if (kind === 'tools') {
      return tools(caller).tools.map((tool) => ({ key: tool.name, json: JSON.stringify(tool) }));
    }
    return content
      .all(kind)
      .filter((callable) => access.decideCallable(caller, callable).verdict !== 'deny')
      .map(({ key, listed }) => ({ key, json: JSON.stringify(listed) }));
  }

  return (caller, kind, cursor) => {
    const key = `${kind}\n${rightsOf(caller)}`;
    let pages = made.get(key);
    if (!pages) {
      pages = createPages(entriesOf(caller, kind), options.pageSize);
      made.set(key, pages);
    }
    return pages(cursor);
  };
}

/** A listed item with its sort key. */
interface ListEntry {
  readonly key: string;
  readonly json: string;
}

/**
 * Splits a sorted list into pages. A cursor is the last key of a page, so that changes between two
 * requests neither repeat nor skip other entries.
 */
export function createPages(
  entries: readonly ListEntry[],
  pageSize: number,
): (cursor: string | undefined) => ListPage | undefined {
  const first = page(entries, 0, pageSize);
  return (cursor) => {
    if (!cursor) return first;
    const key = keyOf(cursor);
    if (key === undefined) return undefined;
    return page(entries, countUpTo(entries, key), pageSize);
  };
}

function page(entries: readonly ListEntry[], from: number, size: number): ListPage {
  const part = entries.slice(from, from + size);
  const last = part.at(-1);
  const isEnd = from + size >= entries.length || last === undefined;
  return {
    json: `[${part.map(({ json }) => json).join(',')}]`,
    next: isEnd ? undefined : Buffer.from(last.key).toString('base64url'),
  };
}

function keyOf(cursor: string): string | undefined {
  const key = Buffer.from(cursor, 'base64url').toString();
  // Base64 decoding is lenient; only the canonical spelling is a valid cursor.
  return Buffer.from(key).toString('base64url') === cursor ? key : undefined;
}

/** Number of entries up to and including this key. */
function countUpTo(entries: readonly ListEntry[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
