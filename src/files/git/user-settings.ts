import { isAbsolute } from 'node:path';
import type { Git } from './git.ts';
import type { RawSettings } from './parse-config.ts';
import { coreSettings, type Setting } from './repository-settings.ts';

/** What counts of the settings of this user and this machine; those of no repository are among them. */
export interface UserSettings {
  readonly safeDirectories: readonly string[];
  readonly core: readonly Setting[];
  readonly home: string;
}

/** Files of the user's own that say what is ignored everywhere, and what is text. */
const FILES = ['core.excludesfile', 'core.attributesfile'];

/** `git` is one that sees no repository. */
export async function readUserSettings(git: Git, home: string): Promise<UserSettings> {
  const listing = await git.text(['config', '--list', '--null']);
  const safeDirectories: string[] = [];
  const raw = new Map<string, string | true>();
  for (const entry of listing.split('\0')) {
    const end = entry.indexOf('\n');
    const key = end === -1 ? entry : entry.slice(0, end);
    const value = end === -1 ? true : entry.slice(end + 1);
    if (key === 'safe.directory') safeDirectories.push(value === true ? '' : value);
    else raw.set(key, value);
  }
  return { safeDirectories, core: [...coreSettings(raw), ...filesOf(raw)], home };
}

function filesOf(raw: RawSettings): readonly Setting[] {
  return FILES.flatMap((key) => {
    const path = raw.get(key);
    const isPath = typeof path === 'string' && (isAbsolute(path) || path.startsWith('~/'));
    return isPath ? [[key, path] as const] : [];
  });
}
