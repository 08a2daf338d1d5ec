import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { variable } from '#config/environment.ts';
import type { InitClient } from './client.ts';
import { pathsOf, type Machine } from './machine.ts';

/** What a client is told to start. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Clients hand few variables on, so that a home of one's own has to stand in the entry. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Running {
  /** The Node.js that runs this. */
  readonly node: string;
  /** The script it was given. */
  readonly script: string;
  /** EXAI_HOME, where it is not the usual one. */
  readonly home: string | undefined;
}

export interface Programs {
  readonly shell: Program;
  readonly desktop: Program;
}

/**
 * How clients start the shim. Those of a shell are told `exai`, where that is this very program, so that an update needs
 * no new settings. Those of a desktop get whole paths: macOS hands them no PATH of the shell, and elsewhere it is missing
 * what a profile adds. On Windows all do, as `exai` is a .cmd there, which cannot be started without a shell.
 */
export function findPrograms(running: Running, machine: Machine): Programs {
  const script = followed(running.script);
  if (script === undefined || basename(script) !== 'exai.cjs') {
    throw new CallError('conflict', 'Only the built program can tell clients how to start it.', {
      fix: 'Run node bin/exai.cjs init, after npm run build.',
    });
  }
  // What npx fetched is thrown away some day, and every client with it.
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
  // A link that leads here outlives an update; the place it leads to often has a version in its name.
  const onPath = findOnPath('exai', script, machine);
  const node = findOnPath('node', followed(running.node), machine) ?? running.node;
  const desktop = { command: node, args: [onPath ?? script, 'stdio'], ...(env && { env }) };
  if (onPath === undefined || machine.platform === 'win32') return { shell: desktop, desktop };
  return { shell: { command: 'exai', args: ['stdio'], ...(env && { env }) }, desktop };
}

export function programFor({ startedFrom }: InitClient, programs: Programs): Program {
  return programs[startedFrom];
}

/** The first of that name on PATH, if it is the program that is meant. */
function findOnPath(name: string, target: string | undefined, machine: Machine) {
  if (machine.platform === 'win32' || target === undefined) return undefined;
  const path = pathsOf(machine);
  const folders = (variable(machine.env, 'PATH') ?? '').split(path.delimiter);
  for (const folder of folders.filter((each) => path.isAbsolute(each))) {
    const file = path.join(folder, name);
    const found = followed(file);
    if (found !== undefined) return found === target ? file : undefined;
  }
  return undefined;
}

/** Where a path leads; nothing if it leads nowhere. */
function followed(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Whatever is the matter with it, this is not the program that runs.
    return undefined;
  }
}
