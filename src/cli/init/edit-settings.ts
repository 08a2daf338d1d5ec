import { isDeepStrictEqual } from 'node:util';
import type { KeyPath } from './client-definition.ts';
import { jsonFormat } from './json-format.ts';
import { SettingsSyntaxError } from './settings-syntax-error.ts';
import { tomlFormat } from './toml-format.ts';

/**
 * A file format of settings. Every function takes the whole text, and throws a SettingsSyntaxError
 * if it is invalid.
 */
export interface SettingsFormat {
  /** The value at a path; undefined if there is none. */
  at(text: string, path: KeyPath): unknown;
  /** The text with the entry added or replaced. */
  set(text: string, path: KeyPath, entry: unknown): string;
  /** The text without the value at a path. */
  remove(text: string, path: KeyPath): string;
  /** Everything except the value at a path, for comparison with isDeepStrictEqual. */
  rest(text: string, path: KeyPath): unknown;
}

/**
 * What the client can read: `json` has neither comments nor trailing commas, `json-comments` has
 * comments, `jsonc` has both.
 */
export type SettingsFormatName = 'json' | 'json-comments' | 'jsonc' | 'toml';

export const SETTINGS_FORMATS: Readonly<Record<SettingsFormatName, SettingsFormat>> = {
  json: jsonFormat('strict'),
  'json-comments': jsonFormat('comments'),
  jsonc: jsonFormat('lenient'),
  toml: tomlFormat,
};

interface EditedSettings {
  readonly text: string;
  /** The outermost key that was added. */
  readonly made: KeyPath;
}

/**
 * The text with our entry. The result is parsed again; if anything else changed, it is rejected.
 */
export function withEntry(
  format: SettingsFormat,
  text: string,
  path: KeyPath,
  entry: unknown,
): EditedSettings {
  const made = firstMissing(format, text, path);
  const result = format.set(text, path, entry);
  const isSet = (there: unknown) => isDeepStrictEqual(toPlainJson(there), toPlainJson(entry));
  check('written', format, text, result, made, () => isSet(format.at(result, path)));
  return { text: result, made };
}

/**
 * The text without our entry and without the objects that were created for it, unless they have
 * other content.
 */
export function withoutEntry(
  format: SettingsFormat,
  text: string,
  path: KeyPath,
  made: KeyPath,
): string {
  const removed = prefixes(path).find((prefix) => {
    return prefix.length >= made.length && holdsOnly(format, text, prefix, path);
  });
  if (removed === undefined) return text;
  const result = format.remove(text, removed);
  check('taken out', format, text, result, removed, () => format.at(result, path) === undefined);
  return result;
}

function check(
  done: 'written' | 'taken out',
  format: SettingsFormat,
  before: string,
  after: string,
  path: KeyPath,
  isDone: () => boolean,
): void {
  // An empty file becomes an object, or the reverse.
  const rest = (text: string) => format.rest(text, path) ?? format.rest('{}', path);
  try {
    if (isDone() && isDeepStrictEqual(rest(before), rest(after))) return;
  } catch (thrown) {
    // The result is not valid in this format.
    if (!(thrown instanceof SettingsSyntaxError)) throw thrown;
  }
  throw new SettingsSyntaxError(`Our entry cannot be ${done} here without touching something else`);
}

function firstMissing(format: SettingsFormat, text: string, path: KeyPath): KeyPath {
  return prefixes(path).find((prefix) => format.at(text, prefix) === undefined) ?? path;
}

/** Whether the value at a prefix has nothing but the path to the entry. */
function holdsOnly(format: SettingsFormat, text: string, prefix: KeyPath, path: KeyPath): boolean {
  if (prefix.length === path.length) return true;
  const value = format.at(text, prefix);
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const next = path.slice(0, prefix.length + 1) as unknown as KeyPath;
  return isDeepStrictEqual(names, [next.at(-1)]) && holdsOnly(format, text, next, path);
}

/** All prefixes of a path, shortest first. */
function prefixes(path: KeyPath): KeyPath[] {
  return path.map((_, index) => path.slice(0, index + 1) as unknown as KeyPath);
}

/** Parsers create objects with different prototypes. */
function toPlainJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
