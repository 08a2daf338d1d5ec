import { existsSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import { removeVariable, setVariable } from './dotenv-edit.ts';
import { editEnvFile } from './env-file.ts';
import { variable, type Environment } from './environment.ts';
import type { KeyFacts } from './facts.ts';
import { MAX_SECRET_CHARS } from './fields.schema.ts';
import { prepareHome, type Home } from './home.ts';
import type { LoadedConfig } from './load.ts';
import { maskSecret, valueAt } from './mask.ts';
import type { Origin } from './origin.ts';
import { quoteName } from './secret-guard.ts';
import { SETTINGS, type Setting } from './settings.ts';

export interface KeyInfo {
  /** As `exai keys` takes it: `kimi`. */
  readonly name: string;
  /** The variable it is stored as: `KIMI_API_KEY`. */
  readonly env: string;
  readonly title: string;
  readonly set: boolean;
  readonly masked?: string;
  readonly origin?: Origin;
  /** Where to get one: an address, or words. */
  readonly where: string;
}

interface Key {
  readonly facts: KeyFacts;
  readonly setting: Setting;
  readonly names: readonly [string, ...string[]];
}

const KEYS: readonly Key[] = SETTINGS.flatMap((setting) => {
  const [first, ...others] = setting.variables;
  const names = [first.name, ...others.map(({ name }) => name)] as const;
  return setting.facts.key ? [{ facts: setting.facts.key, setting, names }] : [];
});

/** More than any key has, with all the blanks that may stand around it: whoever reads one from a pipe stops here. */
export const MAX_KEY_INPUT_CHARS = 65_536;

/** Those that a feature uses. The others are accepted by name all the same. */
export const KEY_NAMES: readonly string[] = KEYS.flatMap(({ facts }) =>
  facts.unused ? [] : [facts.name],
);

/** Every key that a feature uses, and every other that is set. */
export function listKeys({ config, origins }: LoadedConfig): KeyInfo[] {
  return KEYS.flatMap(({ facts, setting, names }): KeyInfo[] => {
    const value = String(valueAt(config, setting.path));
    const origin = origins.get(setting.path);
    const about = { name: facts.name, env: names[0], title: facts.title, where: facts.where };
    if (value === '' || !origin) return facts.unused ? [] : [{ ...about, set: false }];
    return [{ ...about, set: true, masked: maskSecret(value), origin }];
  });
}

/** Stores a key in the .env of the home, in place of one that is there. */
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

/** Removes a key, under whichever of its names it stands in the .env of the home. */
export function removeKey(home: Home, name: string): 'removed' | 'absent' {
  const { names } = findKey(name);
  if (!existsSync(home.envFile)) return 'absent';
  const outcome = editEnvFile(home.envFile, (text) => removeVariable(text, names));
  return outcome === 'changed' ? 'removed' : 'absent';
}

/** The variable of the environment that beats whatever the .env says about this key. Needs no valid configuration. */
export function overrulingVariable(env: Environment, name: string): string | undefined {
  return findKey(name).names.find((each) => variable(env, each) !== undefined);
}

/** The short name of a key that was named by it or by one of its variables; anything else is refused. */
export function keyName(name: string): string {
  return findKey(name).facts.name;
}

/** By its short name or by one of its variables. */
function findKey(name: string): Key {
  const key = KEYS.find(({ facts, names }) => facts.name === name || names.includes(name));
  if (key) return key;
  const near = didYouMean(name, KEY_NAMES) || '.';
  throw new CallError('validation', `There is no key ${quoteName(name)}${near}`, {
    field: 'name',
    fix: `Use one of ${KEY_NAMES.join(', ')}.`,
  });
}

function refuse(
  { facts }: Key,
  message: string,
  fix = `Copy the key again from ${facts.where}.`,
): CallError {
  return new CallError('validation', message, { field: facts.name, fix });
}
