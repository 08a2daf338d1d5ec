import { existsSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { didYouMean } from '#core/text/text.ts';
import { editEnvFile, removeVariable, setVariable } from './dotenv-edit.ts';
import { variable, type Environment } from '../environment.ts';
import type { KeyMeta } from '../schema/setting-meta.ts';
import { MAX_SECRET_CHARS } from '../schema/fields.schema.ts';
import { prepareHome, type Home } from '../home/home.ts';
import type { LoadedConfig } from '../load/load.ts';
import { maskSecret, valueAt } from './mask.ts';
import type { Origin } from '../load/origin.ts';
import { quoteName } from './secret-guard.ts';
import { SETTINGS, type Setting } from '../schema/settings.ts';

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

/** Lists every key that a feature uses, and every other key that is set. */
export function listKeys({ config, origins }: LoadedConfig): KeyInfo[] {
  return KEYS.flatMap(({ meta, setting, names }): KeyInfo[] => {
    const value = String(valueAt(config, setting.path));
    const origin = origins.get(setting.path);
    const { name, title, where } = meta;
    const info = { name, env: names[0], title, where, used: !meta.unused };
    if (value === '' || !origin) return meta.unused ? [] : [{ ...info, set: false }];
    return [{ ...info, set: true, masked: maskSecret(value), origin }];
  });
}

/** Stores a key in the .env of the home and replaces an earlier one. */
export function addKey(home: Home, name: string, value: string): void {
  const key = findKey(name);
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
export function removeKey(home: Home, name: string): 'removed' | 'absent' {
  const { names } = findKey(name);
  if (!existsSync(home.envFile)) return 'absent';
  const outcome = editEnvFile(home.envFile, (text) => removeVariable(text, names));
  return outcome === 'changed' ? 'removed' : 'absent';
}

/**
 * The environment variable that overrides this key in .env, if one is set. Needs no valid
 * configuration.
 */
export function overrulingVariable(env: Environment, name: string): string | undefined {
  return findKey(name).names.find((each) => variable(env, each) !== undefined);
}

/**
 * The short name of a key, from its short name or one of its variables; throws for anything else.
 */
export function keyName(name: string): string {
  return findKey(name).meta.name;
}

/** Finds a key by its short name or one of its variables. */
function findKey(name: string): Key {
  const key = KEYS.find(({ meta, names }) => meta.name === name || names.includes(name));
  if (key) return key;
  const near = didYouMean(name, KEY_NAMES) || '.';
  throw new CallError('validation', `There is no key ${quoteName(name)}${near}`, {
    field: 'name',
    fix: `Use one of ${KEY_NAMES.join(', ')}.`,
  });
}

function refuse(
  { meta }: Key,
  message: string,
  fix = `Copy the key again from ${meta.where}.`,
): CallError {
  return new CallError('validation', message, { field: meta.name, fix });
}
