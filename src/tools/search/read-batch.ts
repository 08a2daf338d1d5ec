import { nameOfSlug } from '#core/tools/tool-name.ts';

type Args = Readonly<Record<string, unknown>>;

/** Names that other hubs and the seed project give to the parts of a batch. */
const NAME_OF_TOOL = ['name', 'tool_slug', 'slug', 'tool', 'tool_name'] as const;
/** Those of Composio, whose slugs have no server. */
const SLUGS = ['tool_slug', 'slug'] as const;
const NAME_OF_ARGUMENTS = ['arguments', 'params', 'args', 'parameters', 'input'] as const;
const IGNORED: ReadonlySet<string> = new Set([
  'sync_response_to_workbench',
  'thought',
  'current_step',
  'current_step_metric',
  'next_step',
  'memory',
  'session',
  'session_id',
]);

/** Gives the arguments of a batch the names of its schema. */
export function renameBatchArguments(args: Args): Record<string, unknown> {
  const entries = Object.entries(args).filter(([name]) => !IGNORED.has(name));
  const renamed: Record<string, unknown> = Object.fromEntries(entries);
  if (renamed['tools'] === undefined && Array.isArray(renamed['calls'])) {
    renamed['tools'] = renamed['calls'];
    delete renamed['calls'];
  }
  const { tools } = renamed;
  if (Array.isArray(tools)) renamed['tools'] = tools.map(renameItem);
  return renamed;
}

function renameItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const given = { ...(item as Args) };
  take(given, 'name', NAME_OF_TOOL);
  const { name } = given;
  const isSlug = SLUGS.some((each) => Object.hasOwn(item, each));
  if (isSlug && typeof name === 'string') given['name'] = nameOfSlug(name);
  take(given, 'arguments', NAME_OF_ARGUMENTS);
  delete given['account'];
  const { arguments: inner } = given;
  if (typeof inner === 'string') given['arguments'] = readObject(inner);
  return given;
}

function take(given: Record<string, unknown>, name: string, names: readonly string[]): void {
  for (const other of names) {
    if (other === name || !Object.hasOwn(given, other)) continue;
    given[name] ??= given[other];
    delete given[other];
  }
}

/** Some models send an object as its JSON text; any other text stays and is refused. */
function readObject(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
