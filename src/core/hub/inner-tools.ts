import type { Tool } from '../tools/tool.ts';

type Args = Readonly<Record<string, unknown>>;

/** A tool that a foreign tool calls, as its arguments name it. */
export interface InnerTool {
  readonly name: string;
  readonly args: Args;
}

/** `unreadable`: nothing is known of what it would call. */
export type InnerTools = readonly InnerTool[] | 'unreadable';

/** Tools of other hubs that call the tools that their arguments name, without separators. */
const CALLS_SEVERAL = /(?:multiexecute|batchexecute)(?:tools?)?$/;
const CALLS_ONE =
  /(?:^|composio|rube)(?:call|execute|invoke|run)(?:read|write|mcp)?tool(?:read|write|destructive)?$|^toolinvoke$|^mcpexec$/;
const LISTS = ['tools', 'calls', 'tool_calls'] as const;
const NAMES = ['tool_slug', 'slug', 'tool_name', 'toolName', 'name', 'tool'] as const;
const ARGUMENTS = ['arguments', 'params', 'args', 'input', 'parameters'] as const;
/** What else stands beside them, and calls nothing. */
const BESIDE: ReadonlySet<string> = new Set(['account', 'index', 'thought']);
const MAX_TOOLS = 200;
/** A tool that calls a tool that calls a tool, and so on. */
export const MAX_INNER_DEPTH = 3;
const MAX_NAME_CHARS = 128;
const MAX_JSON_CHARS = 1_048_576;

/** Whether a tool of a server calls others. */
export function callsOthers({ origin }: Pick<Tool, 'origin'>): boolean {
  if (!origin) return false;
  const name = foldToolName(origin.tool);
  return CALLS_SEVERAL.test(name) || CALLS_ONE.test(name);
}

/** The tools that it would call with these arguments. */
export function innerToolsOf({ origin }: Pick<Tool, 'origin'>, args: Args): InnerTools {
  if (!origin) return [];
  if (!CALLS_SEVERAL.test(foldToolName(origin.tool))) return readAll([args]);
  const lists = LISTS.filter((name) => Object.hasOwn(args, name));
  const [name] = lists;
  // Two lists: which of them the server runs is not known.
  if (lists.length !== 1 || name === undefined) return 'unreadable';
  const others = Object.entries(args).filter(([key]) => key !== name);
  if (others.some(([, value]) => Array.isArray(value))) return 'unreadable';
  const list = fromJson(args[name]);
  return Array.isArray(list) ? readAll(list) : 'unreadable';
}

/** The names of all tools that it would call, and of those that these would call, as its server has them. */
export function namesOfInnerTools(
  { origin }: Pick<Tool, 'origin'>,
  args: Args,
  depth = 1,
): readonly string[] | 'unreadable' {
  if (!origin) return [];
  const { server } = origin;
  const inner = depth > MAX_INNER_DEPTH ? 'unreadable' : innerToolsOf({ origin }, args);
  if (inner === 'unreadable') return inner;
  const names: string[] = [];
  for (const each of inner) {
    const tool = nameAtServer(server, each.name);
    const called = { origin: { server, tool } };
    const within = callsOthers(called) ? namesOfInnerTools(called, each.args, depth + 1) : [];
    if (within === 'unreadable') return within;
    names.push(tool, ...within);
  }
  return names;
}

/** A server may be told the name that callers use, too. */
export function nameAtServer(server: string, name: string): string {
  const prefix = `mcp__${server}__`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function readAll(items: readonly unknown[]): InnerTools {
  if (items.length === 0 || items.length > MAX_TOOLS) return 'unreadable';
  const tools: InnerTool[] = [];
  for (const item of items) {
    const read = readOne(item);
    if (!read) return 'unreadable';
    tools.push(read);
  }
  return tools;
}

function readOne(item: unknown): InnerTool | undefined {
  if (!isObject(item)) return undefined;
  const names = NAMES.filter((name) => Object.hasOwn(item, name));
  const given = ARGUMENTS.filter((name) => Object.hasOwn(item, name));
  const [nameKey] = names;
  if (names.length !== 1 || nameKey === undefined || given.length > 1) return undefined;
  // Another field may be what the server takes for the name.
  const known = new Set<string>([...names, ...given]);
  if (!Object.keys(item).every((key) => known.has(key) || BESIDE.has(key))) return undefined;
  const name = item[nameKey];
  const args = fromJson(item[given[0] ?? ''] ?? {});
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARS) return undefined;
  return isObject(args) ? { name, args } : undefined;
}

/** Some models send a list or an object as its JSON text. */
function fromJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_JSON_CHARS) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function isObject(value: unknown): value is Args {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name without what tells spellings apart: case, separators, width and invisible characters. */
export function foldToolName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}*]+/gu, '');
}
