import { existsSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { didYouMean } from '#core/text/text.ts';
import { editEnvFile, removeVariable, setVariable } from './dotenv-edit.ts';
import { variable, type Environment } from '../environment.ts';
import type { KeyMeta } from '../schema/setting-meta.ts';
import { MAX_SECRET_CHARS } from '../schema/fields.schema.ts';
import { prepareHome, type Home } from '../home/home.ts';
import type { LoadedConfig } from '../load/load.ts';
import { maskSecret } from './mask.ts';
import type { Origin } from '../load/origin.ts';
import { quoteName } from './secret-guard.ts';
import { PRESET_IDS } from '#core/providers/added.ts';
import { findPreset } from '#core/providers/presets/presets.ts';
import { findSetting, SETTINGS } from '../schema/settings.ts';
import { valueAt, type Setting } from '../schema/setting-schema.ts';

export interface KeyInfo {
  /** The name in `exai keys`: `kimi`. */
  readonly name: string;
  /** The variable that stores it: `KIMI_API_KEY`. */
  readonly env: string;
  readonly title: string;
  readonly set: boolean;
  /** Whether a feature uses it. */
  readonly used: boolean;
  readonly masked?: string;
  readonly origin?: Origin;
  /** Where to get one: a URL or text. */
  readonly where: string;
  /** Whether it belongs to a provider that the user has added, and whether that one needs it. */
  readonly added?: 'needs_key' | 'may_have_key';
}

interface Key {
  readonly meta: KeyMeta;
  readonly setting: Setting;
  readonly names: readonly [string, ...string[]];
}

const KEYS: readonly Key[] = SETTINGS.flatMap((setting) => {
  const [first, ...others] = setting.variables;
  const names = [first.name, ...others.map(({ name }) => name)] as const;
  return setting.meta.key ? [{ meta: setting.meta.key, setting, names }] : [];
});

/** The most characters read from a pipe: more than any key with blanks around it. */
export const MAX_KEY_INPUT_CHARS = 65_536;

/** Names of the keys that a feature uses. Other keys are accepted by name too. */
export const KEY_NAMES: readonly string[] = KEYS.flatMap(({ meta }) =>
  meta.unused ? [] : [meta.name],
);

/**
 * The key of a provider that the user has added, or may add by storing its key: one of a preset.
 * `added` has the names of the former.
 */
function addedKey(name: string, added: readonly string[]): Key | undefined {
  const preset = findPreset(name);
  const setting =
    preset || added.includes(name) ? findSetting(`providers.added.${name}.apiKey`) : undefined;
  if (!setting) return undefined;
  const where = preset?.keyFrom ?? 'the operator of the server';
  const meta = { name, title: preset?.title ?? name, where };
  return { meta, setting, names: [setting.variables[0].name] };
}

/** The names of the providers that the user has added. */
export function addedNames({ config }: Pick<LoadedConfig, 'config'>): readonly string[] {
  return Object.keys(config.providers.added);
}

/**
 * Lists every key that a feature uses, every other key that is set, and those of added providers.
 */
export function listKeys(loaded: LoadedConfig): KeyInfo[] {
  const names = addedNames(loaded);
  const added = names.flatMap((name): KeyInfo[] => {
    const key = addedKey(name, names);
    if (!key) return [];
    const entry = loaded.config.providers.added[name];
    const preset = findPreset(entry?.preset || name);
    const needs = preset?.key === 'required' ? 'needs_key' : 'may_have_key';
    return infoOf(key, loaded).map((info) => ({ ...info, added: needs }));
  });
  return [...KEYS.flatMap((key) => infoOf(key, loaded)), ...added];
}

function infoOf({ meta, setting, names }: Key, { config, origins }: LoadedConfig): KeyInfo[] {
  const value = String(valueAt(config, setting.path));
  const origin = origins.get(setting.path);
  const { name, title, where } = meta;
  const info = { name, env: names[0], title, where, used: !meta.unused };
  if (value === '' || !origin) return meta.unused ? [] : [{ ...info, set: false }];
  return [{ ...info, set: true, masked: maskSecret(value), origin }];
}
/** Stores a key in the .env of the home and replaces an earlier one. */
export function addKey(
  home: Home,
  name: string,
  value: string,
  added: readonly string[] = [],
): void {
  const key = findKey(name, added);
  const trimmed = value.trim();
  if (trimmed === '') throw refuse(key, 'The key is empty.');
  if (trimmed.length > MAX_SECRET_CHARS) {
    throw refuse(key, `The key is too long: it may have ${MAX_SECRET_CHARS} characters at most.`);
  }
  if (/^["'`]|["'`]$/.test(trimmed)) {
    throw refuse(key, 'The key stands in quotes.', 'Give it again without them.');
  }
  if (/^bearer\s/i.test(trimmed)) {
    throw refuse(key, 'The key begins with "Bearer".', 'Give it again without that word.');
  }
  if (!/^[ -~]*$/.test(trimmed)) {
    throw refuse(key, 'The key has a line break or another character that no key has.');
  }
  prepareHome(home);
  editEnvFile(home.envFile, (text) => setVariable(text, key.names, trimmed));
}

/** Removes a key from the .env of the home, under all of its names. */
export function removeKey(
  home: Home,
  name: string,
  added: readonly string[] = [],
): 'removed' | 'absent' {
  const { names } = findKey(name, added);
  if (!existsSync(home.envFile)) return 'absent';
  const outcome = editEnvFile(home.envFile, (text) => removeVariable(text, names));
  return outcome === 'changed' ? 'removed' : 'absent';
}

/** Removes all variables of an added provider from the .env of the home, its keys among them. */
export function removeAddedVariables(home: Home, name: string): void {
  if (!existsSync(home.envFile)) return;
  const fields = [
    'preset',
    'baseUrl',
    'apiKey',
    'otherKeys',
    'models',
    'contextTokens',
    'maxCalls',
  ];
  const names = fields.flatMap((field) =>
    (findSetting(`providers.added.${name}.${field}`)?.variables ?? []).map((each) => each.name),
  );
  editEnvFile(home.envFile, (text) => removeVariable(text, names));
}

/**
 * The environment variable that overrides this key in .env, if one is set. Needs no valid
 * configuration.
 */
export function overrulingVariable(
  env: Environment,
  name: string,
  added: readonly string[] = [],
): string | undefined {
  return findKey(name, added).names.find((each) => variable(env, each) !== undefined);
}

/**
 * The short name of a key, from its short name or one of its variables; throws for anything else.
 */
export function keyName(name: string, added: readonly string[] = []): string {
  return findKey(name, added).meta.name;
}

/** The path of the setting that holds a key. */
export function keyPath(name: string, added: readonly string[] = []): string {
  return findKey(name, added).setting.path;
}

/** The variable that a key is stored under, by its short name. */
export function keyVariable(name: string): string {
  return findKey(name, [name]).names[0];
}

/** The value of a key; empty if it is not set. */
export function storedKeyOf({ config }: Pick<LoadedConfig, 'config'>, name: string): string {
  const value = valueAt(config, findKey(name, [name]).setting.path);
  return typeof value === 'string' ? value : '';
}

/** Finds a key by its short name or one of its variables. */
function findKey(name: string, added: readonly string[]): Key {
  const key =
    KEYS.find(({ meta, names }) => meta.name === name || names.includes(name)) ??
    addedKey(name, added);
  if (key) return key;
  const known = [...KEY_NAMES, ...PRESET_IDS, ...added];
  const near = didYouMean(name, known) || '.';
  throw new CallError('validation', `There is no key ${quoteName(name)}${near}`, {
    field: 'name',
    fix: `Use one of ${[...new Set(known)].join(', ')}.`,
  });
}

function refuse(
  { meta }: Key,
  message: string,
  fix = `Copy the key again from ${meta.where}.`,
): CallError {
  return new CallError('validation', message, { field: meta.name, fix });
}
