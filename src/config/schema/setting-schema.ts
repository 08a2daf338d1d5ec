import * as z from 'zod';
import { settingMeta, type SettingMeta } from './setting-meta.ts';
import type { SettingAlias } from './setting-aliases.ts';

/** `map`: texts by name, such as the environment of a program. */
export type SettingKind = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'map';

export interface VariableName {
  readonly name: string;
  /**
   * `old`: of the original EX-AI, always supported. `renamed`: of the release before, see
   * SETTING_ALIASES.
   */
  readonly age: 'current' | 'old' | 'renamed';
  readonly unit?: 'seconds';
}

/** One leaf of the schema with its metadata. */
export interface Setting {
  /** Dotted path: `providers.kimi.apiKey`. */
  readonly path: string;
  readonly kind: SettingKind;
  readonly choices: readonly string[];
  readonly about: string;
  readonly meta: SettingMeta;
  /** The first one that is set wins. */
  readonly variables: readonly [VariableName, ...VariableName[]];
  /** A function, because some defaults depend on the machine; throws for a required setting. */
  readonly defaultValue: () => unknown;
  /** What a valid value must be, if this one is not; completes the sentence "<setting> …". */
  readonly invalid: (value: unknown) => string | undefined;
}

export interface SettingGroup {
  readonly path: string;
  readonly members: ReadonlyMap<string, SettingEntry>;
}

/** A section whose entries have free names: `mcpServers.github` beside `mcpServers.jira`. */
export interface SettingRecord {
  readonly path: string;
  readonly about: string;
  /** The settings of one entry. */
  entry(name: string): SettingGroup;
  /** Why a name is not valid; undefined if it is. */
  invalidName(name: string): string | undefined;
}

export type SettingEntry = Setting | SettingGroup | SettingRecord;

/** Everything that follows from the schema of a configuration. */
export interface SettingSchema<C = unknown> {
  readonly zod: z.ZodType<C>;
  readonly tree: SettingGroup;
  /** The settings that every configuration has: all but those of records. */
  readonly settings: readonly Setting[];
  readonly records: readonly SettingRecord[];
  /** Also a setting of an entry with any valid name. */
  find(path: string): Setting | undefined;
  /** Every setting that this configuration has. */
  settingsIn(config: C): readonly Setting[];
  /** The setting that had this path in an earlier release, or the group of such settings. */
  findAlias(path: string): Setting | SettingGroup | undefined;
}

export function createSettingSchema<C>(
  zod: z.ZodObject & z.ZodType<C>,
  aliases: readonly SettingAlias[] = [],
): SettingSchema<C> {
  const tree = toGroup(zod, [], aliases);
  const settings = settingsOfGroup(tree);
  const records = recordsOf(tree);
  const byPath = new Map(settings.map((setting) => [setting.path, setting]));

  function findEntry(path: string): Setting | undefined {
    const record = records.find((each) => path.startsWith(`${each.path}.`));
    if (!record) return undefined;
    const name = path.slice(record.path.length + 1).split('.', 1)[0] ?? '';
    if (record.invalidName(name) !== undefined) return undefined;
    return settingsOfGroup(record.entry(name)).find((setting) => setting.path === path);
  }

  return {
    zod,
    tree,
    settings,
    records,
    find: (path) => byPath.get(path) ?? findEntry(path),
    settingsIn: (config) => [
      ...settings,
      ...records.flatMap((record) =>
        Object.keys((valueAt(config, record.path) ?? {}) as object).flatMap((name) =>
          settingsOfGroup(record.entry(name)),
        ),
      ),
    ],
    findAlias(path) {
      const alias = aliases.find(({ old }) => old === path);
      if (alias) return byPath.get(alias.current);
      const members = aliases.flatMap(({ old, current }) => {
        const setting = old.startsWith(`${path}.`) ? byPath.get(current) : undefined;
        return setting ? [[old.slice(path.length + 1), setting] as const] : [];
      });
      return members.length === 0 ? undefined : { path, members: new Map(members) };
    },
  };
}

/** The value at a dotted path; undefined where there is none. */
export function valueAt(config: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isThere ? (value as Record<string, unknown>)[key] : undefined;
  }, config);
}

export function isGroup(entry: SettingEntry): entry is SettingGroup {
  return 'members' in entry;
}

export function isSettingRecord(entry: SettingEntry): entry is SettingRecord {
  return 'entry' in entry;
}

export function settingsOfGroup(group: SettingGroup): Setting[] {
  return [...group.members.values()].flatMap((entry) => {
    if (isSettingRecord(entry)) return [];
    return isGroup(entry) ? settingsOfGroup(entry) : entry;
  });
}

function recordsOf(group: SettingGroup): SettingRecord[] {
  return [...group.members.values()].flatMap((entry) => {
    if (isSettingRecord(entry)) return entry;
    return isGroup(entry) ? recordsOf(entry) : [];
  });
}

type Aliases = readonly SettingAlias[];

function toGroup(object: z.ZodObject, keys: readonly string[], aliases: Aliases): SettingGroup {
  const members = new Map<string, SettingEntry>();
  for (const [key, schema] of Object.entries(object.shape)) {
    const path = [...keys, key];
    members.set(key, toEntry(schema, path, aliases));
  }
  return { path: keys.join('.'), members };
}

function toEntry(schema: z.core.$ZodType, keys: string[], aliases: Aliases): SettingEntry {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return toGroup(inner, keys, aliases);
  if (inner instanceof z.ZodRecord && isOfGroups(inner)) return toRecord(schema, inner, keys);
  return toSetting(schema, inner, keys, aliases);
}

/** A record of sections, not a setting whose value is a map of texts. */
function isOfGroups(inner: z.ZodRecord): boolean {
  return unwrap(inner.valueType) instanceof z.ZodObject;
}

function toRecord(schema: z.core.$ZodType, inner: z.ZodRecord, keys: string[]): SettingRecord {
  const entry = unwrap(inner.valueType);
  if (!(entry instanceof z.ZodObject)) throw new TypeError(`${keys.join('.')} has no fields`);
  const path = keys.join('.');
  return {
    path,
    about: z.globalRegistry.get(schema)?.description ?? '',
    entry: (name) => toGroup(entry, [...keys, name], []),
    invalidName: (name) => messageOf(inner.keyType, name),
  };
}

function toSetting(
  schema: z.core.$ZodType,
  inner: z.core.$ZodType,
  keys: string[],
  aliases: Aliases,
): Setting {
  const known = settingMeta.get(schema);
  if (!known) throw new TypeError(`${keys.join('.')} has no metadata`);
  const current = known.env ?? [variableName(keys)];
  const renamed = aliases.filter(({ current: path }) => path === keys.join('.'));
  const [first, ...others]: VariableName[] = [
    ...current.map((name) => ({ name, age: 'current' as const })),
    ...renamed.map(({ old }) => ({
      name: variableName(old.split('.')),
      age: 'renamed' as const,
    })),
    ...(known.old ?? []).map((old) => ({ ...old, age: 'old' as const })),
  ];
  if (first === undefined) throw new TypeError(`${keys.join('.')} has no variable`);
  return {
    path: keys.join('.'),
    kind: kindOf(inner),
    choices: choicesOf(inner),
    about: z.globalRegistry.get(schema)?.description ?? '',
    meta: known,
    variables: [first, ...others],
    defaultValue: () => z.parse(schema, undefined),
    invalid: (value) => messageOf(schema, value),
  };
}

function messageOf(schema: z.core.$ZodType, value: unknown): string | undefined {
  return z.safeParse(schema, value, { jitless: true }).error?.issues[0]?.message;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

function choicesOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(String);
  return schema instanceof z.ZodUnion ? schema.options.flatMap(choicesOf) : [];
}

/** The kind of a schema. A union is a number that may also be one of several words. */
function kindOf(schema: z.core.$ZodType): SettingKind {
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodUnion) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodEnum) return 'choice';
  if (schema instanceof z.ZodRecord) return 'map';
  return schema instanceof z.ZodArray ? 'list' : 'text';
}

/** The variable of a path: `listener.maxFrameBytes` is EXAI_LISTENER_MAX_FRAME_BYTES. */
export function variableName(keys: readonly string[]): string {
  const words = keys.map((key) =>
    key.replaceAll(/(?<=[^A-Z])[A-Z]/g, (letter) => `_${letter}`).replaceAll(/\W/g, '_'),
  );
  return `EXAI_${words.join('_').toUpperCase()}`;
}
