import { withDaemon } from '../daemon-client.ts';
import { NOTICES_METHOD } from '../own-methods.ts';
import { reachDaemon } from '../reach-daemon.ts';
import { VERSION } from '../version.ts';
import type { Examine, Patient } from './check.ts';

const ANSWER_WITHIN_MS = 3000;

/** Settings that a client, or this very shell, has in its environment and the running daemon lacks. */
export const clients: Examine = async ({ notices }) =>
  (await notices()).map((detail) => ({ id: 'clients', title: 'Settings', status: 'warn', detail }));

export async function askNotices(
  patient: Pick<Patient, 'daemon' | 'readiness' | 'home' | 'env' | 'system'>,
): Promise<readonly string[]> {
  const { daemon: state, readiness, home, env, system } = patient;
  // One of another version would be asked to go, and nothing shall change here.
  if (state.is !== 'running' || !readiness?.ready || state.record.version !== VERSION) return [];
  const reach = () =>
    reachDaemon({
      home,
      kind: 'cli',
      version: VERSION,
      cwd: home.root,
      env,
      clock: system.clock,
      autostart: 'off',
    });
  const { notices } = (await withDaemon(reach, system.clock, (client) =>
    client.request(NOTICES_METHOD, {}, { timeoutMs: ANSWER_WITHIN_MS }),
  )) as { notices: readonly string[] };
  return notices;
}
