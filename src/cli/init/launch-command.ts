import { basename } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import type { InitClient } from './client-definition.ts';
import { npxPackage } from './npx-package.ts';
import type { PathContext } from './paths.ts';
import { findExecutable, isInNpmCache, resolveLinks, userPathFolders } from './user-path.ts';

const SCRIPT_NAME = 'exai.cjs';

/** The command with which a client starts the shim. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Clients pass on few variables, so a custom EXAI_HOME has to be in the entry. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunningCli {
  /** The path of Node.js. */
  readonly node: string;
  /** The path of the script. */
  readonly script: string;
  /** EXAI_HOME, if it is not the default. */
  readonly home: string | undefined;
}

export interface LaunchCommands {
  readonly shell: LaunchCommand;
  readonly desktop: LaunchCommand;
}

/**
 * How clients start the shim. Clients that run in a shell get `exai`, if a login shell of the user
 * finds this program by that name, so that an update needs no new settings. Desktop clients get absolute
 * paths: on macOS they do not have the PATH of the shell, elsewhere it lacks what a profile adds. On
 * Windows all get absolute paths, because `exai` is a .cmd file, which cannot be started without a
 * shell.
 */
export function findLaunchCommands(
  running: RunningCli,
  machine: PathContext,
  loginFolders: readonly string[],
): LaunchCommands {
  const script = findLastingScript(running, machine);
  const env = running.home === undefined ? undefined : { EXAI_HOME: running.home };
  // A link to this program survives an update; its target often has a version in the path.
  const onPath = findOnPath('exai', script, machine);
  const node = findOnPath('node', resolveLinks(running.node), machine) ?? running.node;
  const desktop = { command: node, args: [onPath ?? script, 'stdio'], ...(env && { env }) };
  if (onPath === undefined || machine.platform === 'win32') return { shell: desktop, desktop };
  if (!isFoundIn(loginFolders, script, machine)) return { shell: desktop, desktop };
  return { shell: { command: 'exai', args: ['stdio'], ...(env && { env }) }, desktop };
}

export function launchCommandFor(
  { startedFrom }: InitClient,
  programs: LaunchCommands,
): LaunchCommand {
  return programs[startedFrom];
}

/**
 * The real path of this program. A copy in the cache of npx is removed at some time, which would
 * break every client, so an installed program on the user's PATH stands in for it.
 */
function findLastingScript(running: RunningCli, machine: PathContext): string {
  const script = resolveLinks(running.script);
  if (script === undefined || basename(script) !== SCRIPT_NAME) {
    throw new CallError('conflict', 'Only the built program can tell clients how to start it.', {
      fix: 'Run node bin/exai.cjs init, after npm run build.',
    });
  }
  if (!isInNpmCache(script, machine)) return script;
  const installed = findExecutable('exai', userPathFolders(machine), machine);
  const target = installed === undefined ? undefined : resolveLinks(installed);
  if (target !== undefined && basename(target) === SCRIPT_NAME) return target;
  throw new CallError(
    'conflict',
    'npx keeps this program in its cache only, from which it can be removed at any time; clients need one that stays.',
    { fix: `npm install --global ${npxPackage(script)}, then run exai init.` },
  );
}

/** Whether a shell with these folders runs this program by its name; it needs Node.js, too. */
function isFoundIn(folders: readonly string[], script: string, machine: PathContext): boolean {
  const exai = findExecutable('exai', folders, machine);
  const node = findExecutable('node', folders, machine);
  return exai !== undefined && node !== undefined && resolveLinks(exai) === script;
}

/** The first program of that name on the user's PATH, if it is the target. */
function findOnPath(name: string, target: string | undefined, machine: PathContext) {
  if (machine.platform === 'win32' || target === undefined) return undefined;
  const file = findExecutable(name, userPathFolders(machine), machine);
  return file !== undefined && resolveLinks(file) === target ? file : undefined;
}
