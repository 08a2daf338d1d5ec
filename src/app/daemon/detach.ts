import { spawn } from 'node:child_process';
import { CallError } from '#core/errors/call-error.ts';

const READY = 'ready';
/**
 * Marks a daemon whose launcher listens on the IPC channel, as another parent process may also have
 * opened a channel.
 */
export const LAUNCHED_FLAG = 'launched';

/**
 * Runs this command again, without the given flag, as a fully detached process: some clients kill
 * all descendants of the servers they started, and the daemon serves other clients, too. Resolves
 * with `ready`, or with the exit code if it failed to start.
 */
export function startDetached(flag: string): Promise<'ready' | number> {
  const args = process.argv.slice(1).filter((arg) => arg !== flag);
  const flags = process.execArgv.filter((arg) => !arg.startsWith('--inspect'));
  const child = spawn(process.execPath, [...flags, ...args, `--${LAUNCHED_FLAG}`], {
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(CallError.from(error)));
    child.once('exit', (code) => {
      if (code !== null && code !== 0) return resolve(code);
      reject(new CallError('interrupted', 'The daemon was stopped before it was ready.'));
    });
    child.once('message', (state) => {
      if (state !== READY) return;
      child.disconnect();
      child.unref();
      resolve(READY);
    });
  });
}

/**
 * Notifies the launcher, which may then exit. It may have exited already, which is not an error.
 */
export function notifyReady(): void {
  process.send?.(READY, undefined, undefined, () => {
    if (process.connected) process.disconnect();
  });
}
