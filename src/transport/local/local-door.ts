import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { refusedLine } from '#core/local-socket/handshake.ts';
import { createLines } from '#core/local-socket/lines.ts';
import { fix } from '#core/messages/fixes.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log } from '#core/telemetry.ts';
import { namelessError } from '#mcp/nameless-error.ts';
import type { Channel, OpenSession, Session } from '../channel.ts';
import type { Arriving } from '../http/arriving.ts';
import { THIS_MACHINE } from '../http/peer.ts';
import { CHANNEL_LIMITS, createLocalChannel, type ChannelLimits } from './local-channel.ts';

export interface LocalDoorOptions {
  /** See `isUsableSocketPath`. */
  readonly path: string;
  /** What to listen on, where that is not the path itself. Asked once the path is free. */
  readonly address?: () => string;
  readonly openSession: OpenSession;
  newSession(): string;
  readonly maxFrameBytes: number;
  readonly maxConnections: number;
  /** The memory of lines that have no end yet: one for all doors. */
  readonly arriving: Arriving;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes away what a killed daemon left at the path. Only who holds the lock of the home may open this door. */
  removeStale(path: string): void;
  readonly limits?: ChannelLimits;
}

export interface LocalDoor {
  /** Clients connected now. */
  readonly size: number;
  /** Takes no more clients, lets what runs finish for so long, then cuts it. */
  drain(withinMs: number): Promise<void>;
}

interface Client {
  readonly channel: Channel;
  readonly drain: () => Promise<void>;
}

const STOPPING = 1001;
const FAILED = 1011;
const COME_BACK_MS = 1000;
const WARNINGS_PER_MINUTE = 10;
/** For its owner alone. */
const UMASK = 0o177;
const OWNER = 'local';

/** The socket file of a home: who can open it is its user. */
export async function createLocalDoor(options: LocalDoorOptions): Promise<LocalDoor> {
  const { path, clock, log, limits = CHANNEL_LIMITS } = options;
  const clients = new Map<Socket, Client>();
  const warn = sparingWarn(log, clock, WARNINGS_PER_MINUTE);

  function admit(socket: Socket): void {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Who hangs up in the middle is no news.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET')
        warn('local_socket_failed', { error });
    });
    if (clients.size < options.maxConnections) return greet(socket);
    warn('local_door_full', { connections: clients.size });
    const words = `All ${options.maxConnections} connections of the daemon are in use.`;
    const error = new CallError('over_capacity', words, { retryAfterMs: COME_BACK_MS });
    createLocalChannel(socket, clock, limits).send(refusedLine(error));
    socket.destroySoon();
  }

  function greet(socket: Socket): void {
    const channel = createLocalChannel(socket, clock, limits);
    const opening = { session: options.newSession(), token: undefined, protocol: undefined };
    let session: Session | undefined;
    /** A bug in a session costs this connection, and no other. */
    const guarded = (work: () => void) => {
      try {
        work();
      } catch (thrown) {
        log.error('local_session_failed', { cause: thrown });
        channel.close(FAILED, 'Something failed inside EX-AI.');
      }
    };
    clients.set(socket, { channel, drain: async () => session?.drain() });
    guarded(() => {
      session = options.openSession(channel, opening);
    });
    const holding = options.arriving.hold({
      // Only the owner can open the file.
      principal: OWNER,
      peer: THIS_MACHINE,
      received: () => socket.bytesRead,
      cut: () => lines.drop(),
    });
    const lines = createLines({
      holding,
      maxBytes: options.maxFrameBytes,
      onLine: (line) => guarded(() => session?.onMessage(line)),
      onRefused: (error) => channel.send(namelessError(error)),
    });
    socket.on('data', (chunk: Buffer) => lines.push(chunk));
    socket.once('end', () => {
      // An empty line, which means nothing, finds out whether the client only stopped sending or is gone altogether.
      if (socket.writable) socket.write('\n');
      guarded(() => session?.onEnd());
    });
    socket.once('close', () => {
      clients.delete(socket);
      holding.release();
      guarded(() => session?.onClose());
    });
  }

  async function dismiss({ channel, drain }: Client): Promise<void> {
    try {
      await drain();
    } catch (thrown) {
      log.error('local_session_failed', { cause: thrown });
    }
    channel.close(STOPPING, 'The daemon is stopping.');
  }

  makeRoom(options);
  const server = createServer({ allowHalfOpen: true }, admit);
  await listen(server, options.address?.() ?? path);
  server.on('error', (error) => warn('local_door_failed', { error }));
  return {
    get size() {
      return clients.size;
    },
    async drain(withinMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const gone = Array.from(clients.keys(), (socket) => once(socket, 'close'));
      for (const client of clients.values()) void dismiss(client);
      const timer = clock.after(withinMs, () => {
        for (const socket of clients.keys()) socket.destroy();
      });
      await Promise.all([closed, ...gone]);
      timer.stop();
    },
  };
}

function makeRoom(options: LocalDoorOptions): void {
  const { path } = options;
  try {
    options.removeStale(path);
  } catch (thrown) {
    throw new CallError('conflict', `${path} is in the way of the socket file of the daemon.`, {
      field: 'EXAI_HOME',
      fixes: [
        fix('set_setting', { setting: 'EXAI_HOME', value: 'another folder' }),
        'Or remove it.',
      ],
      cause: thrown,
    });
  }
}

/** The file is private from its first moment: its mode is not changed afterwards, but made by the umask. */
async function listen(server: Server, address: string): Promise<void> {
  const failed = new Promise<never>((_, reject) => server.once('error', reject));
  const before = process.umask(UMASK);
  const listening = new Promise<void>((resolve) => server.once('listening', resolve));
  server.listen({ path: address });
  process.umask(before);
  try {
    await Promise.race([listening, failed]);
  } catch (thrown) {
    throw refusal(thrown, address);
  }
  server.removeAllListeners('error');
}

function refusal(thrown: unknown, address: string): CallError {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE') return CallError.from(thrown, { field: 'EXAI_HOME' });
  return new CallError('conflict', `Another program listens on ${address}.`, {
    field: 'EXAI_HOME',
    fixes: [
      fix('set_setting', { setting: 'EXAI_HOME', value: 'another folder' }),
      'Or stop that program.',
    ],
    cause: thrown,
  });
}
