import * as z from 'zod';
import { Config } from './config.schema.ts';
import { settingMeta, type SettingMeta } from './setting-meta.ts';
import { SETTING_ALIASES } from './setting-aliases.ts';

export type SettingKind = 'text' | 'number' | 'boolean' | 'choice' | 'list';

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
  /** A function, because some defaults depend on the machine. */
  readonly defaultValue: () => unknown;
}

export interface SettingGroup {
  readonly path: string;
  readonly members: ReadonlyMap<string, Setting | SettingGroup>;
}

export const SETTING_TREE: SettingGroup = toGroup(Config, []);
export const SETTINGS: readonly Setting[] = leaves(SETTING_TREE);

const BY_PATH = new Map(SETTINGS.map((setting) => [setting.path, setting]));

export function findSetting(path: string): Setting | undefined {
  return BY_PATH.get(path);
}

/** The setting that had this path in an earlier release, or the group of such settings. */
export function findAlias(path: string): Setting | SettingGroup | undefined {
  const alias = SETTING_ALIASES.find(({ old }) => old === path);
  if (alias) return BY_PATH.get(alias.current);
  const members = SETTING_ALIASES.flatMap(({ old, current }) => {
    const setting = old.startsWith(`${path}.`) ? BY_PATH.get(current) : undefined;
    return setting ? [[old.slice(path.length + 1), setting] as const] : [];
  });
  return members.length === 0 ? undefined : { path, members: new Map(members) };
}

export function isGroup(entry: Setting | SettingGroup): entry is SettingGroup {
  return 'members' in entry;
}

function leaves(group: SettingGroup): Setting[] {
  return [...group.members.values()].flatMap((entry) => (isGroup(entry) ? leaves(entry) : entry));
}

function toGroup(object: z.ZodObject, keys: readonly string[]): SettingGroup {
  const members = new Map<string, Setting | SettingGroup>();
  for (const [key, schema] of Object.entries(object.shape)) {
    const path = [...keys, key];
    const inner = unwrap(schema);
    members.set(
      key,
      inner instanceof z.ZodObject ? toGroup(inner, path) : toSetting(schema, inner, path),
    );
  }
  return { path: keys.join('.'), members };
}

function toSetting(schema: z.core.$ZodType, inner: z.core.$ZodType, keys: string[]): Setting {
  const known = settingMeta.get(schema) ?? {};
  const current = known.env ?? [variableName(keys)];
  const renamed = SETTING_ALIASES.filter(({ current: path }) => path === keys.join('.'));
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
  };
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
  return schema instanceof z.ZodArray ? 'list' : 'text';
}

/** The variable of a path: `listener.maxFrameBytes` is EXAI_LISTENER_MAX_FRAME_BYTES. */
export function variableName(keys: readonly string[]): string {
  const words = keys.map((key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`));
  return `EXAI_${words.join('_').toUpperCase()}`;
}
