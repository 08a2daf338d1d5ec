import type { Home } from '#config/home.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { getLocal } from '#net/get-local.ts';
import { readDaemonFile, type DaemonRecord } from './daemon-file.ts';
import type { Readiness } from './readiness.ts';
import { isHomeClaimed } from './single-instance.ts';
import { fromWireJson } from './wire-json.ts';

export type DaemonState =
  | { readonly is: 'absent' }
  /** The lock is held, but nothing says where it listens: it is starting or stopping. */
  | { readonly is: 'between' }
  | { readonly is: 'running'; readonly record: DaemonRecord };

const ANSWER_WITHIN_MS = 3000;

/** What is known about the daemon of a home without asking it. */
export function daemonState(home: Home): DaemonState {
  // The lock first: a daemon removes the record of a dead one as soon as it holds the lock, so a record read
  // afterwards belongs to the holder.
  if (!isHomeClaimed(home)) return { is: 'absent' };
  const record = readDaemonFile(home.daemonFile);
  return record ? { is: 'running', record } : { is: 'between' };
}

/** What a running daemon says about itself: to whom does not bear its token, little. One that does not answer is not ready. */
export async function askReadiness(
  { url }: DaemonRecord,
  token: string,
  clock: Clock,
): Promise<Readiness> {
  try {
    const timeoutMs = ANSWER_WITHIN_MS;
    const { body } = await getLocal(`${url}/readyz`, { timeoutMs, clock, token });
    const { ready, ...details } = fromWireJson(body) as Readiness;
    if (ready) return { ready, ...details };
    return { ready: false, reason: 'It says why only to who bears its token.', ...details };
  } catch (thrown) {
    const why = thrown instanceof SyntaxError ? 'not with what is expected' : 'not at all';
    const detail = thrown instanceof CallError ? ` ${thrown.message}` : '';
    return { ready: false, reason: `It answers ${why}.${detail}` };
  }
}
