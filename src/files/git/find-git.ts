import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { isInside, type Area } from '../area.ts';

/** The program, and the folders in which it finds what it runs. */
export interface GitProgram {
  readonly file: string;
  readonly path: string;
}

/** Looks along PATH, but never in a folder that the caller may name: what lies there is read, not run. */
export async function findGit(path: string, area: Area): Promise<GitProgram> {
  const folders: string[] = [];
  for (const folder of new Set(path.split(delimiter))) {
    if (isAbsolute(folder) && !(await isWithin(folder, area))) folders.push(folder);
  }
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  for (const folder of folders) {
    const file = join(folder, name);
    if (await canRun(file)) return { file, path: folders.join(delimiter) };
  }
  throw noGit();
}

export function noGit(): CallError {
  return new CallError('not_configured', 'Changes are read by git, and there is no git on PATH.', {
    fix: 'Install git, and restart the daemon.',
  });
}

async function isWithin(folder: string, area: Area): Promise<boolean> {
  // A folder that is not there has no programs.
  const real = await realpath(folder).catch(() => folder);
  return area.roots.some((root) => isInside(real, root) || isInside(folder, root));
}

async function canRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    // Not here: perhaps in the next folder.
    return false;
  }
}
