import { withDaemon } from '#client/daemon-client.ts';
import { connectToDaemon, type Link } from '#client/connect-to-daemon.ts';
import type { Home } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { getFromDaemon } from '#net/get-from-daemon.ts';
import { readDaemonFile, type DaemonRecord } from './daemon-file.ts';
import { loadWebSocket } from './load-web-socket.ts';
import { loopbackTarget, type LoopbackTarget } from '../listeners/daemon-url.ts';
import { READINESS_METHOD, type Readiness } from './readiness.ts';
import { isHomeClaimed } from './single-instance.ts';
import { fromWireJson } from '../wire-json.ts';

export type DaemonState =
  | { readonly is: 'absent' }
  /** The lock is held, but there is no record of an address: the daemon is starting or stopping. */
  | { readonly is: 'between' }
  | { readonly is: 'running'; readonly record: DaemonRecord };

const ANSWER_WITHIN_MS = 3000;

/** The state of a home's daemon, determined without contacting it. */
export function daemonState(home: Home): DaemonState {
  // The lock is read first: a daemon removes the record of a dead one as soon as it holds the lock,
  // so a record read afterwards belongs to the holder.
  if (!isHomeClaimed(home)) return { is: 'absent' };
  const record = readDaemonFile(home.daemonFile);
  return record ? { is: 'running', record } : { is: 'between' };
}

export interface ReadinessRequest {
  readonly home: Home;
  readonly token: string;
  readonly clock: Clock;
}

/**
 * Fetches the readiness of a running daemon. Without the token it is less detailed. A daemon that
 * does not answer is not ready.
 */
export async function fetchReadiness(
  record: DaemonRecord,
  { home, token, clock }: ReadinessRequest,
): Promise<Readiness> {
  try {
    const target = loopbackTarget(record);
    const { ready, ...details } = target
      ? await askOverTcp(target, token, clock)
      : await askOverSocket(record, home, clock);
    if (ready) return { ready, ...details };
    return { ready: false, reason: 'It says why only to who bears its token.', ...details };
  } catch (thrown) {
    const why = thrown instanceof SyntaxError ? 'not with what is expected' : 'not at all';
    const detail = thrown instanceof CallError ? ` ${thrown.message}` : '';
    return { ready: false, reason: `It answers ${why}.${detail}` };
  }
}

async function askOverTcp(
  { url, ...tls }: LoopbackTarget,
  token: string,
  clock: Clock,
): Promise<Readiness> {
  const call = { timeoutMs: ANSWER_WITHIN_MS, clock, token, ...tls };
  const { body } = await getFromDaemon(`${url}/readyz`, call);
  return fromWireJson(body) as Readiness;
}

async function askOverSocket(record: DaemonRecord, home: Home, clock: Clock): Promise<Readiness> {
  const connect = () => connectToRunning(record, home, clock);
  return withDaemon(connect, clock, async (client) => {
    const answer = await client.request(READINESS_METHOD, {}, { timeoutMs: ANSWER_WITHIN_MS });
    return answer as Readiness;
  });
}

/** Connects to the daemon of a record over its unix socket, whatever its version, if it runs. */
export function connectToRunning(record: DaemonRecord, home: Home, clock: Clock): Promise<Link> {
  const { version } = record;
  const env = { EXAI_HOME: home.root };
  const about = { home, kind: 'cli', version, cwd: home.root, env, clock, loadWebSocket } as const;
  return connectToDaemon({ ...about, autostart: 'off' });
}
