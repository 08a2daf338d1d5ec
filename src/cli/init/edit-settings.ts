import { isDeepStrictEqual } from 'node:util';
import type { Entry, Path } from './client.ts';
import type { Format } from './format.ts';
import { SettingsFault } from './settings-fault.ts';

export interface Edited {
  readonly text: string;
  /** The outermost name that the file did not have before. */
  readonly made: Path;
}

/** The text with our entry in it. Read again and compared: should anything else have changed, it is refused. */
export function withEntry(format: Format, text: string, path: Path, entry: Entry): Edited {
  const made = firstMissing(format, text, path);
  const result = format.set(text, path, entry);
  const isSet = (there: unknown) => isDeepStrictEqual(plain(there), plain(entry));
  check('written', format, text, result, made, () => isSet(format.at(result, path)));
  return { text: result, made };
}

/** The text without our entry, nor what was made to hold it, unless that holds something else by now. */
export function withoutEntry(format: Format, text: string, path: Path, made: Path): string {
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
  format: Format,
  before: string,
  after: string,
  path: Path,
  isDone: () => boolean,
): void {
  // A file without any value comes to hold an object, or does no more.
  const rest = (text: string) => format.rest(text, path) ?? format.rest('{}', path);
  try {
    if (isDone() && isDeepStrictEqual(rest(before), rest(after))) return;
  } catch (thrown) {
    // What was made is not even of the format.
    if (!(thrown instanceof SettingsFault)) throw thrown;
  }
  throw new SettingsFault(`Our entry cannot be ${done} here without touching something else`);
}

function firstMissing(format: Format, text: string, path: Path): Path {
  return prefixes(path).find((prefix) => format.at(text, prefix) === undefined) ?? path;
}

/** Whether all that is at a prefix is what leads to the path. */
function holdsOnly(format: Format, text: string, prefix: Path, path: Path): boolean {
  if (prefix.length === path.length) return true;
  const value = format.at(text, prefix);
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const next = path.slice(0, prefix.length + 1) as unknown as Path;
  return isDeepStrictEqual(names, [next.at(-1)]) && holdsOnly(format, text, next, path);
}

/** The shortest first. */
function prefixes(path: Path): Path[] {
  return path.map((_, index) => path.slice(0, index + 1) as unknown as Path);
}

/** Readers differ in the prototypes of what they give. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
