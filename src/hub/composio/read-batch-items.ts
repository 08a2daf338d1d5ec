import { asList, asObject, type JsonObject, type Unknown } from '#core/json/json.ts';
import type { ComposioToolInfo } from './composio-api.ts';
import { renameArguments } from './rename-arguments.ts';

const NAMES_OF_TOOL = ['tool_slug', 'slug', 'name', 'tool'] as const;
const NAMES_OF_ARGUMENTS = ['arguments', 'params', 'args', 'parameters'] as const;
/** What the vendor requires in some versions, and an agent has no reason to give. */
const DEFAULTS: Unknown = { sync_response_to_workbench: false, memory: {} };

/** What stands where the vendor may look for the slugs of a batch, and of batches within it. */
export function slugsOfBatch(args: Unknown): readonly string[] {
  const slugs = new Set<string>();
  for (const item of asList(args['tools'])) {
    const given = asObject(item);
    if (!given) continue;
    for (const name of NAMES_OF_TOOL) {
      const slug = toSlug(given[name]);
      if (typeof slug === 'string') slugs.add(slug);
    }
    for (const name of NAMES_OF_ARGUMENTS) {
      for (const slug of slugsOfBatch(asObject(given[name]) ?? {})) slugs.add(slug);
    }
  }
  return [...slugs];
}

/** The vendor finds a slug in any case; a tool has one name here. */
function toSlug(given: unknown): unknown {
  return typeof given === 'string' ? given.trim().toUpperCase() : given;
}

/** The arguments of a batch with the vendor's names; those of another tool stay as they are. */
export function renameBatch(schema: JsonObject, args: Unknown): Unknown {
  const properties = asObject(schema['properties']);
  const items = asObject(asObject(properties?.['tools'])?.['items']);
  if (!asObject(items?.['properties'])?.['tool_slug']) return args;
  const required = asList(schema['required']);
  const missing = Object.entries(DEFAULTS).filter(
    ([name]) => required.includes(name) && args[name] === undefined,
  );
  const { tools } = args;
  return {
    ...args,
    ...Object.fromEntries(missing),
    ...(Array.isArray(tools) && { tools: tools.map(renameItem) }),
  };
}

function renameItem(item: unknown): unknown {
  const given = asObject(item);
  if (!given) return item;
  const { account } = given;
  return {
    tool_slug: toSlug(first(given, NAMES_OF_TOOL)),
    arguments: first(given, NAMES_OF_ARGUMENTS) ?? {},
    ...(account !== undefined && { account }),
  };
}

function first(given: Unknown, names: readonly string[]): unknown {
  return names.map((name) => given[name]).find((value) => value !== undefined);
}

/** The same with the vendor's names for the arguments of each tool. */
export async function renameWithinItems(
  args: Unknown,
  infoOf: (slug: string) => Promise<ComposioToolInfo | undefined>,
): Promise<Unknown> {
  const tools = await Promise.all(
    asList(args['tools']).map(async (item) => {
      const { tool_slug: named, arguments: inner, ...rest } = asObject(item) ?? {};
      const slug = toSlug(named);
      const info = typeof slug === 'string' ? await infoOf(slug) : undefined;
      const given = asObject(inner) ?? {};
      const own = info ? renameArguments(info.inputSchema, given) : given;
      return { ...rest, tool_slug: slug, arguments: own };
    }),
  );
  return { ...args, tools };
}
