import { readlinkSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import type { DaemonRecord } from '../daemon/daemon-file.ts';
import { daemonState } from '../daemon/daemon-state.ts';
import { stopDaemon } from '../daemon/stop-daemon.ts';
import { readServiceFile, refuseServiceFile, removeServiceFile } from './service-file.ts';
import type { ServiceManager } from './service-manager.ts';
import type { ServiceTrouble } from './run-program.ts';
import type { ServiceContext } from './service-context.ts';

export interface Removed {
  readonly file: string;
  readonly was: 'removed' | 'absent';
  /** The daemon of the service, which was stopped. */
  readonly stopped?: DaemonRecord;
  readonly trouble?: ServiceTrouble;
}

/**
 * Stops and unregisters the service and removes its file. A daemon that was started in another way
 * keeps running.
 */
export async function removeService(
  context: ServiceContext,
  force: 'asked' | 'never',
): Promise<Removed> {
  const { manager, home } = context;
  const { file } = manager;
  const found = readServiceFile(file, manager.text, home.root);
  if (found.is === 'absent') return { file, was: 'absent' };
  refuseServiceFile(found, file, { verb: 'remove', force });
  const unreached = await failureOf(manager.refresh());
  const stopped = unreached ? undefined : await stopService(context);
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

/** The file remains until this is done: without it, it would be unknown what to stop. */
async function stopService(context: ServiceContext): Promise<DaemonRecord | undefined> {
  const { manager, home, clock, token, onWait } = context;
  const { pid } = await manager.state();
  const daemon = daemonState(home);
  const isService = daemon.is === 'running' && daemon.record.pid === pid;
  const stopped = isService ? await stopDaemon(home, clock, token, onWait) : undefined;
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
    // Absent or not a link, so `enable` did not create it.
    return undefined;
  }
}
