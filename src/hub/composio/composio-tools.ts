import type { JsonObject } from '#core/json/json.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { ComposioApi, ComposioSession, ComposioToolInfo } from './composio-api.ts';
import { secondName, unknownTool } from './slug-errors.ts';
import { toMcpDefinition, WRITE_FILE, WRITE_FILE_DEFINITION } from './tool-definition.ts';
import type { UsedSlugs } from './used-slugs.ts';

/** The tools of apps: listed by page, and found one by one. */
export interface ComposioTools {
  /** Of the first page after those of the MCP server. */
  readonly firstCursor: string;
  isCursor(cursor: string): boolean;
  /** A page as `tools/list` answers it. */
  page(session: ComposioSession, cursor: string, signal: AbortSignalLike): Promise<JsonObject>;
  /** A tool by its slug; undefined: there is none. */
  readonly info: (slug: string, signal: AbortSignalLike) => Promise<ComposioToolInfo | undefined>;
  /** From now on a tool is listed, whatever its toolkit. Rejects where there is none. */
  admit(slug: string, signal: AbortSignalLike): Promise<void>;
}

interface ComposioToolsOptions {
  readonly server: string;
  readonly api: ComposioApi;
  readonly toolkits: readonly string[];
  readonly used: UsedSlugs;
}

const PREFIX = 'apps:';
/** Tools that were used, before those of toolkits, as a limit on tools cuts the end. */
const USED_CURSOR = `${PREFIX}used`;
const CODE_INTERPRETER = 'codeinterpreter';
/** Without an account, the vendor's own searches and its code interpreter are used. */
const OPEN_TOOLKITS = ['composio_search', CODE_INTERPRETER];
const MAX_KEPT = 20_000;

/**
 * Lists the tools of toolkits with a connected account, those that need none, and those that were
 * used. All others are found by their slugs: together they are tens of thousands.
 */
export function createComposioTools(options: ComposioToolsOptions): ComposioTools {
  const { server, api, toolkits, used } = options;
  const kept = new Map<string, ComposioToolInfo>();
  let listed: readonly string[] = [];
  let givenAsUsed: ReadonlySet<unknown> = new Set();

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

  async function usedPage(session: ComposioSession, signal: AbortSignalLike): Promise<JsonObject> {
    listed = await toolkitsToList(session, signal);
    const slugs = await used.all();
    const named = slugs.filter((slug) => slug !== WRITE_FILE);
    const infos = named.length === 0 ? [] : await api.toolsNamed(named, signal);
    for (const info of infos) keep(info);
    const own = slugs.includes(WRITE_FILE) ? [WRITE_FILE_DEFINITION] : [];
    const tools = [...own, ...infos.map(toMcpDefinition)];
    givenAsUsed = new Set(tools.map(({ name }) => name));
    return { tools, nextCursor: `${PREFIX}0:` };
  }

  return {
    firstCursor: USED_CURSOR,
    isCursor: (cursor) => cursor.startsWith(PREFIX),
    async page(session, cursor, signal) {
      if (cursor === USED_CURSOR) return usedPage(session, signal);
      const [, at = '0', rest = ''] = /^apps:(\d+):(.*)$/s.exec(cursor) ?? [];
      const index = Number(at);
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
      const own = toolkit === CODE_INTERPRETER && rest === '' ? [WRITE_FILE_DEFINITION] : [];
      return {
        tools: [...own, ...page.items.map(toMcpDefinition)].filter(
          ({ name }) => !givenAsUsed.has(name),
        ),
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
    async admit(slug, signal) {
      if (slug !== WRITE_FILE) {
        const found = await api.tool(slug, signal);
        if (!found) {
          kept.delete(slug);
          await used.remove(slug);
          throw unknownTool(server, slug);
        }
        // Under a second name it would be another tool for the pins.
        if (found.slug !== slug) throw secondName(slug, found.slug);
      }
      await used.add(slug);
    },
  };
}
