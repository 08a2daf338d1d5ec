import type { Environment } from '#config/environment.ts';
import { homePaths } from '#config/home.ts';
import { MAX_LINE_BYTES } from '#transport/local/handshake.ts';
import { createLines } from '#transport/local/lines.ts';
import { namelessError } from '#transport/local/nameless-error.ts';
import { createRelay } from '#transport/shim/relay.ts';
import { autostartOf, reachDaemon } from './reach-daemon.ts';
import { createShimLog } from './shim-log.ts';
import { keepAlive, type System } from './system.ts';
import { VERSION } from './version.ts';

export interface ShimOptions {
  readonly env: Environment;
  /** Of a daemon somewhere else. */
  readonly url?: string;
}

/** Longer than any daemon takes, so that a message somewhat too long is still read and told by its id. */
const MAX_CLIENT_LINE_BYTES = 2 * MAX_LINE_BYTES;

/** The program that an IDE starts: its client's messages on stdin and stdout, the daemon behind. Resolves at the end. */
export async function runShim(options: ShimOptions, { clock, random }: System): Promise<void> {
  const { env } = options;
  const home = homePaths(env);
  const log = createShimLog(home, env, clock);
  const { stdin, stdout } = process;

  await keepAlive(
    new Promise<void>((resolve) => {
      const relay = createRelay({
        clock,
        random,
        log,
        connect: () =>
          reachDaemon({
            home,
            kind: 'shim',
            version: VERSION,
            cwd: process.cwd(),
            env,
            clock,
            autostart: autostartOf(env),
            ...(options.url !== undefined && { url: options.url }),
          }),
        toClient: (line) => (stdout.write(`${line}\n`) ? 'clear' : 'full'),
        readClient: (reading) => void (reading === 'on' ? stdin.resume() : stdin.pause()),
        onDone: resolve,
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
      relay.start();
      stdin.on('data', (chunk: Buffer) => lines.push(chunk));
      stdin.once('end', () => relay.clientEnded());
      stdin.once('error', () => relay.clientEnded());
      stdout.on('drain', () => relay.clientClear());
      // Nobody reads any more.
      stdout.once('error', endNow);
      process.once('SIGTERM', endNow);
      process.once('SIGINT', endNow);
    }),
  );
  await log.flush();
  await new Promise<void>((resolve) => {
    if (stdout.writableLength === 0 || stdout.destroyed) resolve();
    else stdout.end(resolve);
  });
}
