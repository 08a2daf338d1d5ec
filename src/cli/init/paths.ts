import { posix, win32, type PlatformPath } from 'node:path';
import { variable, type Environment } from '#config/environment.ts';
import { userFolder } from '#config/home/home.ts';

export type ClientPlatform = 'linux' | 'darwin' | 'win32';

/** Everything that the location of settings depends on, so that tests can simulate any machine. */
export interface PathContext {
  readonly platform: ClientPlatform;
  /** The home folder of the user. */
  readonly home: string;
  readonly env: Environment;
}

export function currentPathContext(env: Environment, platform: string): PathContext {
  const known = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
  return { platform: known, home: userFolder(env), env };
}

export function platformPath({ platform }: Pick<PathContext, 'platform'>): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

/** A path in the home folder. */
export function inHome(machine: PathContext, ...names: string[]): string {
  return platformPath(machine).join(machine.home, ...names);
}

/**
 * A path from a variable. A relative path is ignored, because it depends on the reader's folder.
 */
export function pathFromVariable(machine: PathContext, name: string): string | undefined {
  const value = variable(machine.env, name);
  return value !== undefined && platformPath(machine).isAbsolute(value) ? value : undefined;
}

/** A path in the folder for the data of desktop programs. */
export function inAppDataFolder(machine: PathContext, ...names: string[]): string {
  switch (machine.platform) {
    case 'darwin':
      return inHome(machine, 'Library', 'Application Support', ...names);
    case 'win32':
      return platformPath(machine).join(
        pathFromVariable(machine, 'APPDATA') ?? inHome(machine, 'AppData', 'Roaming'),
        ...names,
      );
    case 'linux':
      return inConfigFolder(machine, ...names);
  }
}

/** A path in `~/.config`, or in the folder that is configured instead of it. */
export function inConfigFolder(machine: PathContext, ...names: string[]): string {
  const root = pathFromVariable(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config');
  return platformPath(machine).join(root, ...names);
}

/** The path with `~` for the home folder. */
export function shortPath({ home, platform }: PathContext, path: string): string {
  const { sep } = platformPath({ platform });
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
