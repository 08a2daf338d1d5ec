import { realpath } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { isInside, type Area } from '../area.ts';

/** The program, and the folders in which it finds what it runs. */
export interface GitProgram {
  readonly file: string;
  readonly path: string;
}

/** Looks along PATH, but never in a folder that the caller may name: what lies there is read, not run. */
export async function findGit(path: string, area: Area): Promise<GitProgram> {
  const folders: string[] = [];
  for (const folder of searchFolders(path)) {
    if (!(await isWithin(folder, area))) folders.push(folder);
  }
  const file = await findProgram({ names: ['git'], folders });
  if (file !== undefined) return { file, path: folders.join(delimiter) };
  throw new CallError('not_configured', 'Changes are read by git, and there is no git on PATH.', {
    fix: 'Install git, and restart the daemon.',
  });
}

async function isWithin(folder: string, area: Area): Promise<boolean> {
  // A folder that is not there has no programs.
  const real = await realpath(folder).catch(() => folder);
  return area.roots.some((root) => isInside(real, root) || isInside(folder, root));
}
