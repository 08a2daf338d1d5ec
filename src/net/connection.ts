import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Dial } from './connect/dial.ts';
import type { Line } from './exchange.ts';
import { RESET, toCallError } from './failure.ts';
import type { Target } from './target.ts';

const CONNECT_MS = 10_000;
/** Idle connections are kept so long, unless the other side names a time of its own. */
const KEEP_MS = 20_000;
const KEEP_AT_MOST_MS = 60_000;

export interface ConnectionTools {
  readonly Client: typeof Client;
  readonly dial: Dial;
  readonly clock: Clock;
}

/** One connection at a time to one place: made when first needed, and again after the other side closed it. */
export interface Connection extends Line {
  readonly client: Client;
  /** Whether nothing came that nobody had asked for: it would be read as the answer to the next request. */
  readonly isQuiet: boolean;
  /** Closes it at once, while it is being made too; what runs over it fails with the error. */
  destroy(error: Error): Promise<void>;
}

type Held = Line & Pick<Connection, 'isQuiet'>;

export function openConnection(
  target: Target,
  { Client, dial, clock }: ConnectionTools,
): Connection {
  let dialling: AbortController | undefined;
  let socket: Held | undefined;

  async function connect(): Promise<Socket> {
    const attempt = new AbortController();
    dialling = attempt;
    const timer = clock.after(CONNECT_MS, () =>
      attempt.abort(
        new CallError('timeout', `${target.label} did not take a connection within 10 seconds.`),
      ),
    );
    try {
      const raw = await dial(target, attempt.signal);
      socket = holdable(raw);
      return raw;
    } catch (error) {
      throw toCallError(error, target.label);
    } finally {
      timer.stop();
      dialling = undefined;
    }
  }

  const client = new Client(target.origin, {
    // Time is judged by the caller's signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_MS,
    keepAliveMaxTimeout: KEEP_AT_MOST_MS,
    pipelining: 1,
    connect: (_options, tell) => {
      connect().then(
        (made) => tell(null, made),
        (error: CallError) => tell(error, null),
      );
    },
  });
  return {
    client,
    get isQuiet() {
      return socket?.isQuiet ?? true;
    },
    hold: () => socket?.hold(),
    go: () => socket?.go(),
    reset: () => socket?.reset(),
    async destroy(error) {
      dialling?.abort(error);
      await client.destroy(error);
    },
  };
}

/**
 * Lets undici read nothing for a while. Its own way, pausing the parser, ends the process with a failed assertion when
 * the other side hangs up meanwhile (undici 7.30); a socket that has nothing to read is no surprise to it.
 * For the same reason a reset gets a name that undici does not know: it would take it for the end of an answer without
 * a length.
 */
function holdable(socket: Socket): Held {
  const read = socket.read.bind(socket);
  let held = false;
  socket.read = (size?: number): unknown => (held ? null : read(size));
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET;
  });
  return {
    get isQuiet() {
      return socket.destroyed || socket.readableLength === 0;
    },
    hold() {
      held = true;
    },
    go() {
      held = false;
      socket.emit('readable');
    },
    reset() {
      held = false;
    },
  };
}
