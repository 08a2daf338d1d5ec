import { withDaemon } from '#client/daemon-client.ts';
import { reachDaemon } from '#client/reach-daemon.ts';
import { VERSION } from '#core/version.ts';
import { loadWebSocket } from '../load-web-socket.ts';
import type { Patient } from './check.ts';

const ANSWER_WITHIN_MS = 3000;

export type Question = (method: string, params: Record<string, unknown>) => Promise<unknown>;

/** Asks the daemon that runs, as its owner; nothing where none can be asked without changing something. */
export async function askRunning<T>(
  patient: Pick<Patient, 'daemon' | 'readiness' | 'home' | 'env' | 'system'>,
  work: (ask: Question) => Promise<T>,
): Promise<T | undefined> {
  const { daemon: state, readiness, home, env, system } = patient;
  // One of another version would be asked to go, and nothing shall change here.
  if (state.is !== 'running' || !readiness?.ready || state.record.version !== VERSION) {
    return undefined;
  }
  const reach = () =>
    reachDaemon({
      home,
      kind: 'cli',
      version: VERSION,
      cwd: home.root,
      env,
      clock: system.clock,
      autostart: 'off',
      loadWebSocket,
    });
  return withDaemon(reach, system.clock, (client) =>
    work((method, params) => client.request(method, params, { timeoutMs: ANSWER_WITHIN_MS })),
  );
}
