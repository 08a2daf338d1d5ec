import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { variable } from '#config/environment.ts';
import { platformPath, type PathContext } from './paths.ts';

/**
 * The absolute folders of PATH as the user's shell has them. npx and `npm run` add their own
 * folders in front, which are gone when the command ends; a program found there is not one that a
 * client could start.
 */
export function userPathFolders(machine: PathContext): string[] {
  const path = platformPath(machine);
  const value = variable(machine.env, 'PATH') ?? variable(machine.env, 'Path') ?? '';
  return value
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !isFolderOfNpm(folder, machine));
}

/** The value of PATH without the folders of npx and `npm run`. */
export function userPath(machine: PathContext): string {
  return userPathFolders(machine).join(platformPath(machine).delimiter);
}

function isFolderOfNpm(folder: string, machine: PathContext): boolean {
  const names = folder.split(/[\\/]+/).filter((name) => name !== '');
  const [parent, last] = names.slice(-2);
  if (parent === 'node_modules' && last === '.bin') return true;
  return last === 'node-gyp-bin' || isInNpmCache(folder, machine);
}

/** Whether a path is in the cache of npx, or elsewhere in the cache of npm. */
export function isInNpmCache(file: string, machine: PathContext): boolean {
  if (file.split(/[\\/]+/).includes('_npx')) return true;
  const path = platformPath(machine);
  // npm tells the programs that it runs where its cache is.
  const cache = variable(machine.env, 'npm_config_cache');
  if (cache === undefined || !path.isAbsolute(cache)) return false;
  const inside = path.relative(cache, file);
  return inside !== '' && !inside.startsWith('..') && !path.isAbsolute(inside);
}

/** The first file of that name in the folders that a shell would run. */
export function findExecutable(
  name: string,
  folders: readonly string[],
  machine: PathContext,
): string | undefined {
  const path = platformPath(machine);
  const endings = machine.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  return folders
    .flatMap((folder) => endings.map((ending) => path.join(folder, `${name}${ending}`)))
    .find(isExecutable);
}

/** Whether it is a file that this user may run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Absent, a link to nowhere, or not executable for this user.
    return false;
  }
}

/** The real path; undefined if it cannot be resolved. */
export function resolveLinks(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    // Missing, broken link or unreadable: all mean that this is not the file.
    return undefined;
  }
}
