import type { Environment } from '#config/environment.ts';
import { homePaths } from '#config/home.ts';
import type { Clock } from '#core/clock.ts';
import { MAX_LINE_BYTES, readDaemonWord } from '#core/local-socket/handshake.ts';
import { createLines } from '#core/local-socket/lines.ts';
import type { Random } from '#core/random.ts';
import { VERSION } from '#core/version.ts';
import { namelessError } from '#mcp/nameless-error.ts';
import { createRelay, type Beginning } from './relay.ts';
import { continueSocketLink } from '../link/socket-link.ts';
import { autostartOf, olderDaemonWords, reachDaemon, type ReachOptions } from '../reach-daemon.ts';
import type { Begun } from './run-shim-first.ts';
import { createShimLog } from './shim-log.ts';

export interface ShimOptions extends Pick<ReachOptions, 'loadWebSocket'> {
  readonly env: Environment;
  /** Of a daemon somewhere else. */
  readonly url?: string;
  readonly insecure?: 'allowed' | 'refused';
  /** What has been said already. */
  readonly begun?: Begun;
}

/** What the shim takes from the machine. */
export interface ShimSystem {
  readonly clock: Clock;
  readonly random: Random;
  /** A sentence for the user, on stderr. */
  warn(sentence: string): void;
}

/** Longer than any daemon takes, so that a message somewhat too long is still read and told by its id. */
const LAST_WORDS_MS = 10_000;
const MAX_CLIENT_LINE_BYTES = 2 * MAX_LINE_BYTES;

const HINT =
  'This is the server that an IDE starts: it waits for JSON-RPC messages of MCP, one a line. To use a tool from here: ' +
  'exai call status. Ctrl-D ends this.';

/** The program that an IDE starts: its client's messages on stdin and stdout, the daemon behind. Resolves at the end. */
export async function runShim(options: ShimOptions, system: ShimSystem): Promise<void> {
  const { clock, random } = system;
  const { env, begun, loadWebSocket } = options;
  const home = homePaths(env);
  const log = createShimLog(home, env, clock);
  const { stdin, stdout } = process;
  if (stdin.isTTY) system.warn(HINT);
  const reach = {
    home,
    kind: 'shim' as const,
    as: 'bearer' as const,
    version: VERSION,
    cwd: process.cwd(),
    env,
    clock,
    autostart: autostartOf(env),
    loadWebSocket,
    ...(options.url !== undefined && { url: options.url }),
    ...(options.insecure && { insecure: options.insecure }),
    onOlderDaemon(daemonVersion: string) {
      log.warn('daemon_is_older', { daemon_version: daemonVersion, version: VERSION });
      system.warn(olderDaemonWords(daemonVersion, VERSION));
    },
  };

  await new Promise<void>((resolve) => {
    const relay = createRelay({
      clock,
      random,
      log,
      connect: (start) => reachDaemon(start === 'never' ? { ...reach, autostart: 'off' } : reach),
      toClient: (line) => (stdout.write(`${line}\n`) ? 'clear' : 'full'),
      readClient: (reading) => void (reading === 'on' ? stdin.resume() : stdin.pause()),
      onDone: resolve,
      onUnreachable: (words) => system.warn(words),
    });
    const endNow = () => {
      relay.stop();
      resolve();
    };
    const lines = createLines({
      maxBytes: MAX_CLIENT_LINE_BYTES,
      onLine: (line) => relay.fromClient(line),
      onRefused: (error) => void stdout.write(`${namelessError(error)}\n`),
    });
    stdout.on('drain', () => relay.clientClear());
    // Nobody reads any more.
    stdout.once('error', endNow);
    if (begun?.is === 'greeted' && begun.untold.length > 0) stdout.write(begun.untold);
    relay.start(begun?.is === 'greeted' ? beginningOf(begun) : undefined);
    if (begun?.is === 'fresh') lines.push(begun.early);
    stdin.on('data', (chunk: Buffer) => lines.push(chunk));
    stdin.once('end', () => {
      lines.end();
      relay.clientEnded();
    });
    stdin.once('error', () => relay.clientEnded());
  });
  await log.flush();
  await new Promise<void>((resolve) => {
    if (stdout.writableLength === 0 || stdout.destroyed) return resolve();
    // Whoever has said all and reads nothing is not waited for any longer than this.
    system.clock.after(LAST_WORDS_MS, resolve);
    stdout.end(resolve);
  });
}

function beginningOf(begun: Begun & { is: 'greeted' }): Beginning | undefined {
  const word = readDaemonWord(begun.welcome);
  if (word.is !== 'welcome') return undefined;
  return {
    link: continueSocketLink(begun, word.welcome),
    fromClient: [begun.initialize],
    fromDaemon: begun.told,
  };
}
