type Args = Readonly<Record<string, unknown>>;

/** Names of arguments that other hubs have for the same; ours wins where both are given. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  intent: 'query',
  use_case: 'query',
  q: 'query',
  intents: 'queries',
  toolkits: 'servers',
  server: 'servers',
  top_k: 'limit',
  max_results: 'limit',
};

/** Arguments of Composio's search that mean nothing here. */
const IGNORED: ReadonlySet<string> = new Set([
  'session',
  'session_id',
  'model',
  'thought',
  'exploratory_query',
]);

/** Gives the arguments of a search the names of its schema. */
export function renameSearchArguments(args: Args): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (IGNORED.has(name)) continue;
    const ours = OTHER_NAMES[name] ?? name;
    if (ours !== name && (Object.hasOwn(args, ours) || Object.hasOwn(renamed, ours))) continue;
    renamed[ours] = value;
  }
  const { queries, servers } = renamed;
  if (Array.isArray(queries)) renamed['queries'] = queries.map(textOfQuery);
  if (typeof servers === 'string') renamed['servers'] = [servers];
  return renamed;
}

/**
 * A query as text. Of its known fields the names count, since arguments may have them, and never
 * the values.
 */
function textOfQuery(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || Array.isArray(query)) return query;
  const { use_case: useCase, intent, query: text, known_fields: known } = query as Args;
  const wanted = useCase ?? intent ?? text;
  if (typeof wanted !== 'string') return query;
  const names = namesOfFields(known);
  return names.length === 0 ? wanted : `${wanted} (${names.join(', ')})`;
}

const MAX_FIELDS = 20;

/** `channel_name: general, limit: 5` or an object: the names before the values. */
function namesOfFields(known: unknown): string[] {
  if (typeof known === 'string') {
    const found = known.matchAll(/(?:^|[,;\n])\s*([A-Za-z_][\w .-]{0,63}?)\s*[:=]/g);
    return [...found].map(([, name = '']) => name).slice(0, MAX_FIELDS);
  }
  if (typeof known !== 'object' || known === null) return [];
  if (Array.isArray(known))
    return known.filter((each) => typeof each === 'string').slice(0, MAX_FIELDS);
  return Object.keys(known).slice(0, MAX_FIELDS);
}
