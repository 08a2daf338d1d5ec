import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { variable } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { InitClient } from './client-definition.ts';
import { platformPath, type PathContext } from './paths.ts';

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
 * How clients start the shim. Clients that run in a shell get `exai`, if that is this program, so
 * that an update needs no new settings. Desktop clients get absolute paths: on macOS they do not
 * have the PATH of the shell, elsewhere it lacks what a profile adds. On Windows all get absolute
 * paths, because `exai` is a .cmd file, which cannot be started without a shell.
 */
export function findLaunchCommands(running: RunningCli, machine: PathContext): LaunchCommands {
  const script = resolveLinks(running.script);
  if (script === undefined || basename(script) !== 'exai.cjs') {
    throw new CallError('conflict', 'Only the built program can tell clients how to start it.', {
      fix: 'Run node bin/exai.cjs init, after npm run build.',
    });
  }
  // The cache of npx is removed at some time, which would break every client.
  if (script.split(/[\\/]/).includes('_npx')) {
    throw new CallError(
      'conflict',
      'npx keeps a program for a while only; clients need one that stays.',
      {
        fix: 'npm install -g exai, then run exai init.',
      },
    );
  }
  const env = running.home === undefined ? undefined : { EXAI_HOME: running.home };
  // A link to this program survives an update; its target often has a version in the path.
  const onPath = findOnPath('exai', script, machine);
  const node = findOnPath('node', resolveLinks(running.node), machine) ?? running.node;
  const desktop = { command: node, args: [onPath ?? script, 'stdio'], ...(env && { env }) };
  if (onPath === undefined || machine.platform === 'win32') return { shell: desktop, desktop };
  return { shell: { command: 'exai', args: ['stdio'], ...(env && { env }) }, desktop };
}

export function launchCommandFor(
  { startedFrom }: InitClient,
  programs: LaunchCommands,
): LaunchCommand {
  return programs[startedFrom];
}

/** The first program of that name on PATH, if it is the target. */
function findOnPath(name: string, target: string | undefined, machine: PathContext) {
  if (machine.platform === 'win32' || target === undefined) return undefined;
  const path = platformPath(machine);
  const folders = (variable(machine.env, 'PATH') ?? '').split(path.delimiter);
  for (const folder of folders.filter((each) => path.isAbsolute(each))) {
    const file = path.join(folder, name);
    const found = resolveLinks(file);
    if (found !== undefined) return found === target ? file : undefined;
  }
  return undefined;
}

/** The real path; undefined if it cannot be resolved. */
function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Whatever the error, this is not the running program.
    return undefined;
  }
}
