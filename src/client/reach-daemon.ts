import { variable, type Environment } from '#config/environment.ts';
import { checkHomeTrust } from '#config/home-trust.ts';
import type { Home } from '#config/home.ts';
import { connectAddress } from '#config/local-address.ts';
import { checkHome } from '#config/usable-home.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { clientTokens, settingDigests, type Hello } from '#core/local-socket/hello.ts';
import { isUsableSocketPath } from '#core/local-socket/socket-path.ts';
import type { Greeting } from './link/greet.ts';
import type { Link } from './link/link.ts';
import { SETTING_NAMES } from './setting-names.ts';
import { openSocketLink } from './link/socket-link.ts';

export type { Link } from './link/link.ts';

export interface ReachOptions {
  readonly home: Home;
  readonly kind: Hello['kind'];
  readonly version: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly autostart: 'on' | 'off';
  /** What to start a daemon with: the program and its first arguments. This very program unless told. */
  readonly program?: readonly [string, ...string[]];
  /** Of a daemon somewhere else, `ws://…`: never started, never asked to stop. */
  readonly url?: string;
  /** Whether the url may be that of another machine without TLS; `refused` unless told. */
  readonly insecure?: 'allowed' | 'refused';
  /** For the url, and where no socket file is possible. The configured one unless told. */
  readonly token?: string;
  /** `bearer`: with the rights of the token in the environment, where that is a client's. `owner` unless told. */
  readonly as?: 'owner' | 'bearer';
  /** Told when the daemon is of an older version and stays, as this client may not replace it. */
  readonly onOlderDaemon?: (version: string) => void;
  /** The way over WebSocket, for the url and where no socket file is possible. */
  readonly loadWebSocket: () => Promise<WebSocketReach>;
}

/** Reaches a daemon over WebSocket. Handed in, as it needs the network's certificates and the lock of the home. */
export interface WebSocketReach {
  reachOverWs(url: string, greeting: Greeting, options: ReachOptions): Promise<Link>;
  /** The daemon of this home; nothing when none says where it is. */
  reachRecorded(greeting: Greeting, options: ReachOptions): Promise<Link | undefined>;
}

/** `nobody` listens; `busy`: somebody does, but is just coming or going. */
export type Attempt = Link | 'nobody' | 'busy';

const WELCOME_WITHIN_MS = 10_000;

/**
 * A link to the daemon of a home, which is started if there is none, and put in the place of an older one. Any number of
 * programs may do so at once: one of them starts it. What most runs do not need is loaded when it is needed, as clients
 * wait for this.
 */
export async function reachDaemon(options: ReachOptions): Promise<Link> {
  const { clock, kind, version, cwd, env, home, url } = options;
  checkHomeTrust(home);
  const token = options.as === 'bearer' ? variable(env, 'EXAI_TOKEN') : undefined;
  const settings = settingDigests(SETTING_NAMES, env);
  const hello: Hello = {
    kind,
    version,
    cwd,
    settings,
    ...(token && { token }),
    ...clientTokens(env),
  };
  const greeting: Greeting = { hello, clock, withinMs: WELCOME_WITHIN_MS };
  if (url !== undefined) {
    const webSocket = await options.loadWebSocket();
    return webSocket.reachOverWs(url, greeting, options);
  }
  const attempt = isUsableSocketPath(home.socketFile, process.platform)
    ? () => attemptSocket(home, greeting)
    : () => attemptRecorded(greeting, options);
  const found = await attempt();
  if (typeof found === 'object' && found.welcome.version === version) return found;
  const { startIfNeeded } = await import('./reach-daemon-start.ts');
  return startIfNeeded(found, attempt, hello, options);
}

export function olderDaemonWords(daemonVersion: string, version: string): string {
  return (
    `The daemon is of version ${daemonVersion} and this program of ${version}. A client's token cannot replace the daemon; ` +
    'its owner can, with: exai stop'
  );
}

/** Whether the environment allows to start a daemon that is missing. */
export function autostartOf(env: Environment): 'on' | 'off' {
  const told = variable(env, 'EXAI_AUTOSTART') ?? variable(env, 'EXAI_WS_AUTOSTART') ?? 'true';
  return ['false', 'no', 'off', '0'].includes(told.trim().toLowerCase()) ? 'off' : 'on';
}

async function attemptSocket(home: Home, greeting: Greeting): Promise<Attempt> {
  try {
    return await openSocketLink(connectAddress(home.socketFile), greeting);
  } catch (thrown) {
    const { code } = ((thrown as CallError).cause ?? {}) as { code?: unknown };
    // The system speaks of the socket file; what its user can mend is the folder.
    if (code === 'EACCES' || code === 'ENOTDIR') checkHome(home);
    return missed(CallError.from(thrown));
  }
}

async function attemptRecorded(greeting: Greeting, options: ReachOptions): Promise<Attempt> {
  const webSocket = await options.loadWebSocket();
  try {
    return (await webSocket.reachRecorded(greeting, options)) ?? 'nobody';
  } catch (thrown) {
    return missed(CallError.from(thrown));
  }
}

/** What a failed attempt means; throws when it is nothing that time would change. */
function missed(error: CallError): 'nobody' | 'busy' {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'nobody';
  // EAGAIN: more connect at this moment than the system queues.
  if (error.class === 'network' || code === 'EAGAIN') return 'busy';
  throw error;
}
