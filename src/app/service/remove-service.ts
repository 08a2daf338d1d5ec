import { readlinkSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CallError } from '#core/call-error.ts';
import type { DaemonRecord } from '../daemon-file.ts';
import { daemonState } from '../daemon-state.ts';
import { stopDaemon } from '../stop-daemon.ts';
import { refuseServiceFile } from './refuse-service-file.ts';
import { readServiceFile, removeServiceFile } from './service-file.ts';
import type { ServiceManager } from './service-manager.ts';
import type { ServiceTrouble } from './service-trouble.ts';
import type { ServiceWorld } from './service-world.ts';

export interface Removed {
  readonly file: string;
  readonly was: 'removed' | 'absent';
  /** The daemon of the service, which went with it. */
  readonly stopped?: DaemonRecord;
  readonly trouble?: ServiceTrouble;
}

/** Stops the service, has the system forget it, and removes its file. A daemon that somebody else started stays. */
export async function removeService(
  world: ServiceWorld,
  force: 'asked' | 'never',
): Promise<Removed> {
  const { manager, home } = world;
  const { file } = manager;
  const found = readServiceFile(file, manager.text, home.root);
  if (found.is === 'absent') return { file, was: 'absent' };
  refuseServiceFile(found, file, { verb: 'remove', force });
  const unreached = await failureOf(manager.refresh());
  const stopped = unreached ? undefined : await stopService(world);
  if (unreached) removeLinks(manager);
  removeServiceFile(file);
  const forgotten = unreached ?? (await failureOf(manager.refresh()));
  return {
    file,
    was: 'removed',
    ...(stopped && { stopped }),
    ...(forgotten && { trouble: { error: forgotten, commands: manager.removeCommands } }),
  };
}

/** The file stays until this is done: without it nobody could tell any more what to stop. */
async function stopService(world: ServiceWorld): Promise<DaemonRecord | undefined> {
  const { manager, home, clock, token, tell } = world;
  const { pid } = await manager.state();
  const daemon = daemonState(home);
  const isService = daemon.is === 'running' && daemon.record.pid === pid;
  const stopped = isService ? await stopDaemon(home, clock, token, tell) : undefined;
  await manager.disable();
  return stopped;
}

async function failureOf(work: Promise<void>): Promise<CallError | undefined> {
  try {
    await work;
    return undefined;
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (error.class === 'internal') throw error;
    return error;
  }
}

function removeLinks({ links, file }: ServiceManager): void {
  for (const link of links) {
    if (targetOf(link) === file) rmSync(link, { force: true });
  }
}

function targetOf(link: string): string | undefined {
  try {
    return resolve(dirname(link), readlinkSync(link));
  } catch {
    // Absent, or no link: nothing that `enable` made.
    return undefined;
  }
}
