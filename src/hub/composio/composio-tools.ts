import type { JsonObject } from '#core/json/json.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { ComposioApi, ComposioSession, ComposioToolInfo } from './composio-api.ts';
import { toMcpDefinition, WRITE_FILE, WRITE_FILE_DEFINITION } from './tool-definition.ts';

/** The tools of apps: listed by page, and found one by one. */
export interface ComposioTools {
  /** Of the first page after those of the MCP server. */
  readonly firstCursor: string;
  isCursor(cursor: string): boolean;
  /** A page as `tools/list` answers it. */
  page(session: ComposioSession, cursor: string, signal: AbortSignalLike): Promise<JsonObject>;
  /** A tool by its slug; undefined: there is none. */
  readonly info: (slug: string, signal: AbortSignalLike) => Promise<ComposioToolInfo | undefined>;
}

const PREFIX = 'apps:';
/** Without an account, the vendor's own searches and its code interpreter are used. */
const OPEN_TOOLKITS = ['composio_search', 'codeinterpreter'];
const MAX_KEPT = 20_000;

/**
 * Lists the tools of toolkits with a connected account, those that need none, and those that were
 * called. All others are found by their slugs: together they are tens of thousands.
 */
export function createComposioTools(api: ComposioApi, toolkits: readonly string[]): ComposioTools {
  const kept = new Map<string, ComposioToolInfo>();
  let listed: readonly string[] = [];

  function keep(info: ComposioToolInfo): void {
    kept.delete(info.slug);
    kept.set(info.slug, info);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  async function toolkitsToList(
    session: ComposioSession,
    signal: AbortSignalLike,
  ): Promise<readonly string[]> {
    if (toolkits.length > 0) return toolkits;
    const connected = await api.toolkits(session.id, 'connected', signal);
    return [...new Set([...OPEN_TOOLKITS, ...connected.map(({ slug }) => slug)])];
  }

  return {
    firstCursor: `${PREFIX}0:`,
    isCursor: (cursor) => cursor.startsWith(PREFIX),
    async page(session, cursor, signal) {
      const [, at = '0', rest = ''] = /^apps:(\d+):(.*)$/s.exec(cursor) ?? [];
      const index = Number(at);
      if (index === 0 && rest === '') listed = await toolkitsToList(session, signal);
      const toolkit = listed[index];
      if (toolkit === undefined) return { tools: [] };
      const page = await api.tools(toolkit, rest === '' ? undefined : rest, signal);
      for (const info of page.items) keep(info);
      const isLast = index + 1 >= listed.length;
      const next =
        page.nextCursor === undefined
          ? isLast
            ? undefined
            : `${PREFIX}${index + 1}:`
          : `${PREFIX}${index}:${page.nextCursor}`;
      const own = toolkit === 'codeinterpreter' && rest === '' ? [WRITE_FILE_DEFINITION] : [];
      const called = next === undefined ? calledOf(kept, listed) : [];
      return {
        tools: [...own, ...page.items.map(toMcpDefinition), ...called],
        ...(next !== undefined && { nextCursor: next }),
      };
    },
    async info(slug, signal) {
      if (slug === WRITE_FILE) return undefined;
      const known = kept.get(slug);
      if (known) return known;
      const found = await api.tool(slug, signal);
      if (found) keep(found);
      return found;
    },
  };
}

/** Tools of toolkits that are not listed, and that were asked for one by one. */
function calledOf(
  kept: ReadonlyMap<string, ComposioToolInfo>,
  listed: readonly string[],
): readonly JsonObject[] {
  return [...kept.values()].filter(({ toolkit }) => !listed.includes(toolkit)).map(toMcpDefinition);
}
