import { spawn } from 'node:child_process';
import { CallError } from '#core/call-error.ts';

const READY = 'ready';
/** Tells a daemon whose launcher listens from one that somebody else with a channel of their own started. */
export const LAUNCHED_FLAG = 'launched';

/**
 * Runs this very command again, without the flag that led here, as a process that nobody is the parent of: some clients
 * end all descendants of the servers they started, and the daemon is everybody's. Resolves when it is ready, with
 * `ready` or with the exit code of one that never was.
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

/** The other end: the launcher may go. It may have gone already, which is no matter to the daemon. */
export function tellReady(): void {
  process.send?.(READY, undefined, undefined, () => {
    if (process.connected) process.disconnect();
  });
}
