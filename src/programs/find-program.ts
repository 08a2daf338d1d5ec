import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';

export interface ProgramSearch {
  /** Without `.exe`, the preferred name first. */
  readonly names: readonly string[];
  /** Absolute folders, as `searchFolders` gives them. */
  readonly folders: readonly string[];
  /**
   * The path that the user set for this program, with the name of the setting. It replaces the
   * search.
   */
  readonly setting?: { readonly name: string; readonly path: string };
}

/**
 * The absolute folders of a PATH. Relative and empty entries mean the current folder, whose files
 * are never run.
 */
export function searchFolders(path: string): readonly string[] {
  return [...new Set(path.split(delimiter))].filter((folder) => isAbsolute(folder));
}

/**
 * The absolute path of a program, or nothing. Throws `not_configured` where a setting names
 * something that cannot be run.
 */
export async function findProgram(search: ProgramSearch): Promise<string | undefined> {
  const { names, folders, setting } = search;
  if (setting !== undefined) {
    if (isAbsolute(setting.path) && (await isExecutable(setting.path))) return setting.path;
    throw new CallError('not_configured', `${setting.name} does not name an executable file.`, {
      field: setting.name,
      fix: `Set ${setting.name} to the absolute path of the program, or remove it to search PATH.`,
    });
  }
  const suffix = process.platform === 'win32' ? '.exe' : '';
  for (const name of names) {
    for (const folder of folders) {
      const file = join(folder, `${name}${suffix}`);
      if (await isExecutable(file)) return file;
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    // A folder may be entered, which is the same permission.
    return (await stat(path)).isFile();
  } catch {
    // Absent, or not executable for this user: the next folder may have it.
    return false;
  }
}
