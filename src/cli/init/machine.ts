import { posix, win32, type PlatformPath } from 'node:path';
import { userFolder } from '#config/home.ts';
import { variable, type Environment } from '#config/environment.ts';

export type Platform = 'linux' | 'darwin' | 'win32';

/** Where clients may keep their settings: all that finding them looks at, so that tests can be on any machine. */
export interface Machine {
  readonly platform: Platform;
  /** The user's own folder. */
  readonly home: string;
  readonly env: Environment;
}

export function thisMachine(env: Environment, platform: string): Machine {
  const known = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
  return { platform: known, home: userFolder(env), env };
}

export function pathsOf({ platform }: Pick<Machine, 'platform'>): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

/** A file or folder in the user's own. */
export function inHome(machine: Machine, ...names: string[]): string {
  return pathsOf(machine).join(machine.home, ...names);
}

/** A path that a variable names. One that is not absolute means another place to whoever reads it from elsewhere. */
export function pathFrom(machine: Machine, name: string): string | undefined {
  const value = variable(machine.env, name);
  return value !== undefined && pathsOf(machine).isAbsolute(value) ? value : undefined;
}

/** Where desktop programs keep what is theirs. */
export function inAppFolder(machine: Machine, ...names: string[]): string {
  switch (machine.platform) {
    case 'darwin':
      return inHome(machine, 'Library', 'Application Support', ...names);
    case 'win32':
      return pathsOf(machine).join(
        pathFrom(machine, 'APPDATA') ?? inHome(machine, 'AppData', 'Roaming'),
        ...names,
      );
    case 'linux':
      return inConfigFolder(machine, ...names);
  }
}

/** `~/.config`, or what stands in its place, on every platform. */
export function inConfigFolder(machine: Machine, ...names: string[]): string {
  const root = pathFrom(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config');
  return pathsOf(machine).join(root, ...names);
}

/** As people write it: `~/x` for what lies in their folder. */
export function shortPath({ home, platform }: Machine, path: string): string {
  const { sep } = pathsOf({ platform });
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
