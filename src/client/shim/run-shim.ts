import type { Environment } from '#config/environment.ts';
import { homePaths } from '#config/home/home.ts';
import type { Clock } from '#core/time/clock.ts';
import { MAX_LINE_BYTES, readDaemonHandshake } from '#core/local-socket/handshake.ts';
import type { Random } from '#core/random.ts';
import { VERSION } from '#core/version.ts';
import { unidentifiedErrorResponse } from '#mcp/json-rpc.ts';
import { createClientLines } from './client-lines.ts';
import { createRelay, type PriorExchange } from './relay.ts';
import { continueSocketLink } from '../link/socket-link.ts';
import {
  autostartOf,
  formatOlderDaemon,
  connectToDaemon,
  type ConnectOptions,
} from '../connect-to-daemon.ts';
import type { FirstExchange } from './initialize-first.ts';
import { createStartProgressLines } from '../start-progress-lines.ts';
import { createShimLog } from './shim-log.ts';

export interface ShimOptions extends Pick<ConnectOptions, 'loadWebSocket'> {
  readonly env: Environment;
  /** URL of a daemon elsewhere. */
  readonly url?: string;
  readonly insecure?: 'allowed' | 'refused';
  /** The MCP server behind EX-AI to show instead of EX-AI itself. */
  readonly server?: string;
  /** The first exchange, if it took place already. */
  readonly firstExchange?: FirstExchange;
}

/** The system functions that the shim uses. */
export interface ShimSystem {
  readonly clock: Clock;
  readonly random: Random;
  /** Prints a sentence for the user on stderr. */
  warn(sentence: string): void;
}

const FLUSH_TIMEOUT_MS = 10_000;
const MARK_BYTES = 16;
/**
 * More than any daemon accepts, so that a message somewhat too long is still read and refused by
 * its id.
 */
const MAX_CLIENT_LINE_BYTES = 2 * MAX_LINE_BYTES;

const HINT =
  'This is the server that an IDE starts: it waits for JSON-RPC messages of MCP, one a line. To use a tool from here: ' +
  'exai call status. Ctrl-D ends this.';

/**
 * The program that an IDE starts: relays MCP on stdin and stdout to the daemon. Resolves at the
 * end.
 */
export async function runShim(options: ShimOptions, system: ShimSystem): Promise<void> {
  const { clock, random } = system;
  const { env, firstExchange: first, loadWebSocket } = options;
  const home = homePaths(env);
  const log = createShimLog(home, env, clock);
  const { stdin, stdout } = process;
  if (stdin.isTTY) system.warn(HINT);
  const reach = {
    home,
    kind: 'shim' as const,
    resends: true as const,
    as: 'bearer' as const,
    version: VERSION,
    cwd: process.cwd(),
    env,
    clock,
    autostart: autostartOf(env),
    loadWebSocket,
    ...(options.url !== undefined && { url: options.url }),
    ...(options.insecure && { insecure: options.insecure }),
    ...(options.server !== undefined && { server: options.server }),
    onOlderDaemon(daemonVersion: string) {
      log.warn('daemon_is_older', { daemon_version: daemonVersion, version: VERSION });
      system.warn(formatOlderDaemon(daemonVersion, VERSION));
    },
  };

  const progressLines = createStartProgressLines(clock, (sentence) => {
    log.info('daemon_upgrades_store', { progress: sentence });
    system.warn(sentence);
  });

  /** Who does not want more from the client now. */
  const pauses = new Set<'relay' | 'lines'>();
  const read = (by: 'relay' | 'lines', reading: 'on' | 'off') => {
    if (reading === 'off') pauses.add(by);
    else pauses.delete(by);
    if (pauses.size === 0) stdin.resume();
    else stdin.pause();
  };
  await new Promise<void>((resolve) => {
    const relay = createRelay({
      clock,
      random,
      log,
      connect: (start) =>
        connectToDaemon({
          ...reach,
          ...(start === 'never' && { autostart: 'off' as const }),
          onStartProgress(progress) {
            progressLines(progress);
            relay.waitOn();
          },
        }),
      toClient: (line) => (stdout.write(`${line}\n`) ? 'clear' : 'full'),
      readClient: (reading) => read('relay', reading),
      onDone: resolve,
      onUnreachable: (message) => system.warn(message),
    });
    const endNow = () => {
      relay.stop();
      resolve();
    };
    const lines = createClientLines({
      maxBytes: MAX_CLIENT_LINE_BYTES,
      mark: Buffer.from(random(MARK_BYTES)).toString('hex'),
      onLine: (line, message) => relay.fromClient(line, message),
      onRefused: (error) => void stdout.write(`${unidentifiedErrorResponse(error)}\n`),
      onReading: (reading) => read('lines', reading),
    });
    stdout.on('drain', () => relay.clientClear());
    // The client does not read any more.
    stdout.once('error', endNow);
    if (first?.is === 'welcomed' && first.unwritten.length > 0) stdout.write(first.unwritten);
    relay.start(first?.is === 'welcomed' ? priorExchange(first) : undefined);
    if (first?.is === 'fresh') lines.push(first.early);
    stdin.on('data', (chunk: Buffer) => lines.push(chunk));
    stdin.once('end', () => {
      lines.end(() => relay.clientEnded());
    });
    stdin.once('error', () => relay.clientEnded());
  });
  await log.flush();
  await new Promise<void>((resolve) => {
    if (stdout.writableLength === 0 || stdout.destroyed) return resolve();
    // Wait no longer for a client that reads nothing.
    system.clock.after(FLUSH_TIMEOUT_MS, resolve);
    stdout.end(resolve);
  });
}

function priorExchange(first: FirstExchange & { is: 'welcomed' }): PriorExchange | undefined {
  const word = readDaemonHandshake(first.welcome);
  if (word.is !== 'welcome') return undefined;
  return {
    link: continueSocketLink(first, word.welcome),
    fromClient: [first.initialize],
    fromDaemon: first.answers,
  };
}
