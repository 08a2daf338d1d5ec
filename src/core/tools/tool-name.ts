const SUFFIX = /[-_]EXAI[-_]WS$/;
const PREFIX = 'mcp__exai__';

/** What Rube and Composio call the tools that find and run others, which agents know by heart. */
const META_TOOLS = {
  SEARCH_TOOLS: 'search_tools',
  GET_TOOL_SCHEMAS: 'get_tool_schemas',
  MULTI_EXECUTE_TOOL: 'multi_execute_tool',
  MANAGE_CONNECTIONS: 'manage_connections',
} as const;
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(META_TOOLS).flatMap(([theirs, ours]) =>
    ['RUBE_', 'COMPOSIO_', 'mcp__rube__RUBE_'].map(
      (prefix) => [`${prefix}${theirs}`, ours] as const,
    ),
  ),
);

/**
 * Normalises a tool name to the registry's: older clients add a suffix, agents the name of our
 * server, or use the name that another hub has for the tool.
 */
export function normaliseToolName(name: string): string {
  const bare = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  const own = bare.replace(SUFFIX, '');
  return OTHER_NAMES.get(own) ?? own;
}

const SLUG = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/;

/** The name of a tool that Composio calls by its slug alone, such as `GMAIL_SEND_EMAIL`; other names stay. */
export function nameOfSlug(slug: string): string {
  return SLUG.test(slug) && !OTHER_NAMES.has(slug) ? `mcp__composio__${slug}` : slug;
}

/** Calls a tool that only reads. */
export const CALL_TOOL = 'call_tool';
/** Calls any tool. */
export const CALL_TOOL_WRITE = 'call_tool_write';

/** A tool that calls the tool that its arguments name. */
export type WrapperName = typeof CALL_TOOL | typeof CALL_TOOL_WRITE;

/** The wrapper that a name means, if any. */
export function wrapperOf(name: string): WrapperName | undefined {
  if (!name.includes(CALL_TOOL)) return undefined;
  const known = normaliseToolName(name);
  return known === CALL_TOOL || known === CALL_TOOL_WRITE ? known : undefined;
}
