import { variable, type Environment } from '#config/environment.ts';
import { checkHomeTrust } from '#config/home/home-permissions.ts';
import type { Home } from '#config/home/home.ts';
import { connectAddress } from '#config/home/local-address.ts';
import type { StartProgress } from '#config/home/start-progress.ts';
import { checkUsableHome } from '#config/home/usable-home.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { readOutputLimit, settingDigests, type Hello } from '#core/local-socket/hello.ts';
import { isUsableSocketPath } from '#core/local-socket/socket-path.ts';
import type { HandshakeOptions, Link } from './link/link.ts';
import { SETTING_NAMES } from './setting-names.ts';
import { openSocketLink } from './link/socket-link.ts';

export type { Link } from './link/link.ts';

export interface ConnectOptions {
  readonly home: Home;
  readonly kind: Hello['kind'];
  readonly version: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly autostart: 'on' | 'off';
  /** Program and first arguments to start a daemon with; default: this program. */
  readonly program?: readonly [string, ...string[]];
  /** URL of a daemon elsewhere, `ws://…`: never started, never stopped. */
  readonly url?: string;
  /** Whether the URL may name another machine without TLS; default: `refused`. */
  readonly insecure?: 'allowed' | 'refused';
  /** Token for the URL, and where no socket file is possible; default: the configured one. */
  readonly token?: string;
  /** The MCP server behind EX-AI that is all this client wants to see. */
  readonly server?: string;
  /** `bearer`: with the rights of the token in the environment. Default: `owner`. */
  readonly as?: 'owner' | 'bearer';
  /** Called again and again while a daemon upgrades its store before it answers. */
  readonly onStartProgress?: (progress: StartProgress) => void;
  /** Called if the daemon has an older version and this client may not replace it. */
  readonly onOlderDaemon?: (version: string) => void;
  /** Loads the WebSocket connector, for the URL and where no socket file is possible. */
  readonly loadWebSocket: () => Promise<WebSocketConnect>;
}

/**
 * Connects to a daemon over WebSocket. Passed in, because it needs the network's certificates and
 * the lock of the home.
 */
export interface WebSocketConnect {
  reachOverWs(url: string, handshake: HandshakeOptions, options: ConnectOptions): Promise<Link>;
  /** Connects to the daemon of this home; undefined if none has recorded its address. */
  reachRecorded(handshake: HandshakeOptions, options: ConnectOptions): Promise<Link | undefined>;
}

/** `absent`: no daemon listens; `busy`: one is starting or stopping. */
export type ConnectAttempt = Link | 'absent' | 'busy';

const WELCOME_WITHIN_MS = 10_000;

/**
 * Connects to the daemon of a home. It starts one if there is none, and replaces an older one. Any
 * number of programs may do so at once: one of them starts it. Rarely needed parts are loaded on
 * demand, because clients wait for this.
 */
export async function connectToDaemon(options: ConnectOptions): Promise<Link> {
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
    ...(options.server !== undefined && { server: options.server }),
    ...readOutputLimit(env),
  };
  const handshake: HandshakeOptions = { hello, clock, withinMs: WELCOME_WITHIN_MS };
  if (url !== undefined) {
    const webSocket = await options.loadWebSocket();
    return webSocket.reachOverWs(url, handshake, options);
  }
  const attempt = isUsableSocketPath(home.socketFile, process.platform)
    ? () => attemptSocket(home, handshake)
    : () => attemptRecorded(handshake, options);
  const found = await attempt();
  if (typeof found === 'object' && found.welcome.version === version) return found;
  const { startIfNeeded } = await import('./start-daemon-if-needed.ts');
  return startIfNeeded(found, attempt, hello, options);
}

export function formatOlderDaemon(daemonVersion: string, version: string): string {
  return (
    `The daemon is of version ${daemonVersion} and this program of ${version}. A client's token cannot replace the daemon; ` +
    'its owner can, with: exai stop'
  );
}

/** Whether the environment allows starting a missing daemon. */
export function autostartOf(env: Environment): 'on' | 'off' {
  const value = variable(env, 'EXAI_AUTOSTART') ?? variable(env, 'EXAI_WS_AUTOSTART') ?? 'true';
  return ['false', 'no', 'off', '0'].includes(value.trim().toLowerCase()) ? 'off' : 'on';
}

async function attemptSocket(home: Home, handshake: HandshakeOptions): Promise<ConnectAttempt> {
  try {
    return await openSocketLink(connectAddress(home.socketFile), handshake);
  } catch (thrown) {
    const { code } = ((thrown as CallError).cause ?? {}) as { code?: unknown };
    // The system error names the socket file, but the user has to fix the folder.
    if (code === 'EACCES' || code === 'ENOTDIR') checkUsableHome(home);
    return classifyFailure(CallError.from(thrown));
  }
}

async function attemptRecorded(
  handshake: HandshakeOptions,
  options: ConnectOptions,
): Promise<ConnectAttempt> {
  const webSocket = await options.loadWebSocket();
  try {
    return (await webSocket.reachRecorded(handshake, options)) ?? 'absent';
  } catch (thrown) {
    return classifyFailure(CallError.from(thrown));
  }
}

/** Classifies a failed attempt; throws if waiting would not change it. */
function classifyFailure(error: CallError): 'absent' | 'busy' {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent';
  // EAGAIN: more connect at this moment than the system queues.
  if (error.class === 'network' || code === 'EAGAIN') return 'busy';
  throw error;
}
