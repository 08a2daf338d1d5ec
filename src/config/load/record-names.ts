import {
  settingsOfGroup,
  variableName,
  type Setting,
  type SettingRecord,
  type SettingSchema,
} from '../schema/setting-schema.ts';

interface Named {
  /** Dotted paths that the command line and config.json set. */
  readonly paths: Iterable<string>;
  /** Variables of the environment and of .env. */
  readonly variables: Iterable<string>;
}

/** The settings of all entries of records that any source names. */
export function recordSettings(schema: SettingSchema, named: Named): readonly Setting[] {
  if (schema.records.length === 0) return [];
  const [paths, variables] = [[...named.paths], [...named.variables]];
  return schema.records.flatMap((record) =>
    entryNames(record, paths, variables).flatMap((name) => settingsOfGroup(record.entry(name))),
  );
}

function entryNames(
  record: SettingRecord,
  paths: readonly string[],
  variables: readonly string[],
): readonly string[] {
  const start = `${record.path}.`;
  const names = new Set(
    paths.flatMap((path) =>
      path.startsWith(start) ? [path.slice(start.length).split('.', 1)[0] ?? ''] : [],
    ),
  );
  const written = new Set([...names].map((name) => variableName([name])));
  for (const variable of variables) {
    const name = nameInVariable(record, variable);
    // EXAI_MCP_SERVERS_MY_SERVER_COMMAND belongs to "my-server" if there is one, else to
    // "my_server".
    if (name !== undefined && !written.has(variableName([name]))) names.add(name);
  }
  return [...names].filter((name) => record.invalidName(name) === undefined);
}

/** Stands for a name, to find out what precedes and follows it in a variable. */
const SAMPLE = 'x';

/** The entry that a variable sets something of; undefined if it is another variable. */
function nameInVariable(record: SettingRecord, variable: string): string | undefined {
  const head = `${variableName(record.path.split('.'))}_`;
  if (!variable.startsWith(head)) return undefined;
  const tails = settingsOfGroup(record.entry(SAMPLE))
    .map(({ variables: [first] }) => first.name.slice(head.length + SAMPLE.length))
    .filter((tail) => variable.length > head.length + tail.length && variable.endsWith(tail));
  const [longest] = tails.toSorted((one, other) => other.length - one.length);
  if (longest === undefined) return undefined;
  return variable.slice(head.length, -longest.length).toLowerCase();
}
