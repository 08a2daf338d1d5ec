import * as z from 'zod';
import { SETTING_ALIASES } from '#config/schema/setting-aliases.ts';
import { CONFIG_SCHEMA, SETTINGS } from '#config/schema/settings.ts';
import {
  isGroup,
  isSettingRecord,
  settingsOfGroup,
  variableName,
  type Setting,
  type SettingGroup,
  type SettingSchema,
} from '#config/schema/setting-schema.ts';
import { TOPICS, type Topic } from './config-topics.ts';

/** Stands in docs/config.md; a test loads it. */
export const EXAMPLE = {
  port: 9000,
  timezone: 'Australia/Melbourne',
  allowedDirs: ['~/projects', '/srv/shared'],
  providers: {
    kimi: { apiKey: '${MY_KIMI_KEY}' },
    custom: { baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen3' },
  },
  limits: { global: 12 },
};

const INTRODUCTION = `# Configuration

EX-AI runs without any configuration. What you set, you set in one of these places; the first one that has a value wins:

1. a flag of the command line, such as \`--port 9000\`
2. a variable of the environment, such as \`EXAI_PORT=9000\`
3. the file \`.env\` in \`EXAI_HOME\`, where \`exai keys add\` stores keys
4. the file \`config.json\` in \`EXAI_HOME\`, or the one that \`--config\` names
5. the default

\`EXAI_HOME\` is \`~/.exai\` unless the variable of that name says otherwise. The folder, what is in it and the folders above must be yours or root's, and no other user may be able to write there (sticky folders such as \`/tmp\` count as safe): a home that other users could change is refused before anything is read. Nothing in the current directory is ever read, so a repository you open cannot configure EX-AI.

\`exai config show --origin\` lists every setting with its value and where it came from, \`--changed\` only those that are set; secrets are masked. \`exai config get\`, \`set\` and \`unset\` read and change single settings in \`config.json\`: they check the value, keep the rest of the file as it is, and tell whether another place overrides it.

## When a change takes effect

A running daemon reads its sources again on \`exai config reload\`, on \`exai config set\` and \`unset\`, on \`exai keys add\` and \`remove\`, and on SIGHUP. Its own flags and environment stay as they were when it started. The column "applies at" below says for each setting:

- **reload**: the new value is used from then on. Calls under way finish with the old one; none is lost. A changed key or address of a provider also ends the cool-downs of the old one.
- **restart**: the daemon keeps the old value until \`exai restart\`. The answer of a reload names these settings with a reason: \`listener\` (the port is open), \`store\` (the database is open), \`tracing\`, \`authentication\`, \`shutdown\`. The files of \`tls.cert\` and \`tls.key\` are read again by themselves, and the owner's token is replaced by \`exai token rotate\`.

Settings that are not valid change nothing: the daemon keeps those it has, and the answer names the file, the line and the setting. Only the owner can reload. The log line \`settings_reloaded\` and one audit row for each setting name what changed, never the values.

## config.json

\`\`\`json
${JSON.stringify(EXAMPLE, null, 2)}
\`\`\`

- \`\${NAME}\` within a text is the variable of that name, from the environment or from \`.env\`; \`$\${\` is a plain \`\${\`. Keys are best kept out of this file in that way.
- A name that is not a setting is an error, not a guess; so is a value of the wrong kind. The message says where it stands and what was expected.
- With \`"$schema": "<path of config.schema.json>"\` in it, editors complete and check the file by [config.schema.json](config.schema.json).

## Variables and .env

- An empty variable counts as unset.
- Numbers are plain digits. \`true\`, \`yes\`, \`on\` and \`1\` mean true; \`false\`, \`no\`, \`off\` and \`0\` mean false. Lists of paths are separated as in \`PATH\`, other lists by commas.
- Where a setting has several variables, the first one that is set counts.
- A line of \`.env\` is \`NAME=VALUE\`, with or without quotes and a leading \`export\`. [.env.example](../.env.example) has them all.`;

export function configMarkdown(): string {
  const contents = TOPICS.map(({ title }) => `[${title}](#${anchor(title)})`).join(' · ');
  return [
    INTRODUCTION,
    `## Settings\n\n${contents}`,
    ...TOPICS.map((topic) => chapter(topic)),
    renamedSettings(),
    oldNames(),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

/** What editors check config.json by. A reference may stand wherever a value may. */
export function configJsonSchema({ zod, tree }: SettingSchema = CONFIG_SCHEMA): string {
  const schema = z.toJSONSchema(zod, { io: 'input' }) as JsonSchema;
  addReferences(schema, tree);
  if (tree === CONFIG_SCHEMA.tree) {
    for (const { old, current, since } of SETTING_ALIASES) addAlias(schema, old, current, since);
  }
  const { $schema, ...rest } = schema;
  const properties = { $schema: { type: 'string' }, ...rest.properties };
  const titled = { $schema, title: 'config.json of EX-AI', ...rest, properties };
  return `${JSON.stringify(titled, null, 2)}\n`;
}

/** Everything commented out: a copy of it changes nothing until a line is made to count. */
export function envExample(): string {
  const head = [
    '# Settings of EX-AI as variables. Copy what you need to ~/.exai/.env (or EXAI_HOME/.env) and remove the #.',
    '# The values shown are the defaults. docs/config.md explains them all.',
  ].join('\n');
  const chapters = TOPICS.map((topic) => {
    // A line for an entry of a record would create it.
    const own = settingsOf(topic).filter(({ path }) => !path.includes(`.${ENTRY_NAME}.`));
    const entries = own.map((setting) => {
      const where = setting.meta.key ? ` Get one from ${setting.meta.key.where}` : '';
      return `# ${plain(setting.about)}${where}\n#${setting.variables[0].name}=${envDefault(setting)}`;
    });
    return [`## ${topic.title}`, ...entries].join('\n\n');
  });
  return `${[head, ...chapters].join('\n\n')}\n`;
}

interface JsonSchema {
  [key: string]: unknown;
  type?: string;
  pattern?: string;
  default?: unknown;
  description?: string | undefined;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
}

/** Lets a reference stand for each setting of a group, and of the entries of its records. */
function addReferences(schema: JsonSchema, group: SettingGroup): void {
  delete schema.default;
  for (const [key, entry] of group.members) {
    const own = schema.properties?.[key];
    if (own === undefined || schema.properties === undefined) continue;
    if (isSettingRecord(entry)) {
      delete own.default;
      if (typeof own.additionalProperties === 'object')
        addReferences(own.additionalProperties, entry.entry(ENTRY_NAME));
    } else if (isGroup(entry)) addReferences(own, entry);
    else schema.properties[key] = withReference(own, entry);
  }
}

function withReference(schema: JsonSchema, setting: Setting): JsonSchema {
  const { description, default: value, ...rest } = schema;
  const isFree = rest.type === 'string' && new RegExp(rest.pattern ?? '', 'u').test('${NAME}');
  const reference = { type: 'string', pattern: String.raw`\$\{[A-Za-z_]\w*\}` };
  return {
    description,
    ...(setting.meta.defaultText === undefined && { default: value }),
    ...(isFree ? rest : { anyOf: [rest, reference] }),
  };
}

/** An old name is still valid, and editors strike it through. */
function addAlias(schema: JsonSchema, old: string, current: string, since: string): void {
  const target = current.split('.').reduce((at, name) => at.properties?.[name] ?? at, schema);
  const { default: _, ...value } = target;
  const keys = old.split('.');
  const key = keys.pop() ?? '';
  let group = schema;
  for (const name of keys) {
    const properties = (group.properties ??= {});
    group = properties[name] ??= {
      type: 'object',
      deprecated: true,
      properties: {},
      additionalProperties: false,
    };
  }
  (group.properties ??= {})[key] = {
    ...value,
    description: `Renamed in ${since}: use ${current}.`,
    deprecated: true,
  };
}

/** A topic of any schema. */
type DocumentedTopic = Omit<Topic, 'keys'> & { readonly keys: readonly string[] };

/** Stands for the name of an entry in the documentation of a record. */
const ENTRY_NAME = 'NAME';

function settingsOf({ keys }: DocumentedTopic, schema: SettingSchema = CONFIG_SCHEMA): Setting[] {
  const entries = schema.records.flatMap((record) => settingsOfGroup(record.entry(ENTRY_NAME)));
  return keys.flatMap((key) =>
    [...schema.settings, ...entries].filter(
      ({ path }) => path === key || path.startsWith(`${key}.`),
    ),
  );
}

export function chapter(topic: DocumentedTopic, schema: SettingSchema = CONFIG_SCHEMA): string {
  const rows = settingsOf(topic, schema).map((setting) => {
    const names = setting.variables.filter(({ age }) => age === 'current');
    const cells = [
      `\`${setting.path}\``,
      markdownDefault(setting),
      names.map(({ name }) => `\`${name}\``).join(' '),
      setting.meta.applies.at === 'reload' ? 'reload' : 'restart',
      setting.meta.secret === 'whole' ? `${setting.about} Secret.` : setting.about,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  });
  return [
    `### ${topic.title}\n\n${topic.about}\n`,
    '| setting | default | variable | applies at | meaning |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function renamedSettings(): string {
  const rows = SETTING_ALIASES.map(({ old, current, since }) => {
    const [before, now] = [old, current].map((path) => variableName(path.split('.')));
    return `| \`${old}\` | \`${before}\` | \`${current}\` | \`${now}\` | ${since} |`;
  });
  return [
    '## Renamed settings\n\nThe old names work for one more release, in every place above; a notice and `exai doctor` name each one in use. Where a place has both names, the new one counts.\n',
    '| old setting | old variable | setting | variable | since |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function oldNames(): string {
  const rows = SETTINGS.flatMap(({ path, variables }) =>
    variables
      .filter(({ age }) => age === 'old')
      .map(({ name, unit }) => `| \`${name}\` | \`${path}\` | ${unit ?? ''} |`),
  );
  return [
    '## Names of the original EX-AI\n\nThese variables still work; a notice names the current one.\n',
    '| variable | setting | unit |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

function markdownDefault(setting: Setting): string {
  if (setting.meta.defaultText !== undefined) return setting.meta.defaultText;
  if (setting.invalid(undefined) !== undefined) return 'required';
  const value = setting.defaultValue();
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  return `\`${String(value)}\`${inWords(setting.path, value)}`;
}

/** ` (45 s)` after a number whose name tells its unit. */
function inWords(path: string, value: unknown): string {
  if (typeof value !== 'number' || value === 0) return '';
  if (path.endsWith('Ms')) return ` (${value / 1000} s)`;
  return path.endsWith('Bytes') ? ` (${value / 1_048_576} MiB)` : '';
}

function envDefault(setting: Setting): string {
  const value = setting.meta.defaultText === undefined ? setting.defaultValue() : '';
  return String(value);
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

function anchor(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}
