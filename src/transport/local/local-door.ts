import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { sparingWarn } from '#core/sparing.ts';
import type { Log } from '#core/telemetry.ts';
import type { Channel, OpenSession, Session } from '../channel.ts';
import { refusedLine } from './handshake.ts';
import { createLines } from './lines.ts';
import { CHANNEL_LIMITS, createLocalChannel, type ChannelLimits } from './local-channel.ts';
import { namelessError } from './nameless-error.ts';
import { socketAddress } from './socket-path.ts';

export interface LocalDoorOptions {
  /** See `isUsableSocketPath`. */
  readonly path: string;
  readonly openSession: OpenSession;
  newSession(): string;
  readonly maxFrameBytes: number;
  readonly maxConnections: number;
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
  readonly session: Session;
}

const STOPPING = 1001;
const COME_BACK_MS = 1000;
const WARNINGS_PER_MINUTE = 10;
/** For its owner alone. */
const UMASK = 0o177;

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
    const session = options.openSession(channel, opening);
    clients.set(socket, { channel, session });
    const lines = createLines({
      maxBytes: options.maxFrameBytes,
      onLine: (line) => session.onMessage(line),
      onRefused: (error) => channel.send(namelessError(error)),
    });
    socket.on('data', (chunk: Buffer) => lines.push(chunk));
    socket.once('end', () => {
      // An empty line, which means nothing, finds out whether the client only stopped sending or is gone altogether.
      if (socket.writable) socket.write('\n');
      session.onEnd();
    });
    socket.once('close', () => {
      clients.delete(socket);
      session.onClose();
    });
  }

  options.removeStale(path);
  const server = createServer({ allowHalfOpen: true }, admit);
  await listen(server, socketAddress(path));
  server.on('error', (error) => warn('local_door_failed', { error }));
  return {
    get size() {
      return clients.size;
    },
    async drain(withinMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const gone = Array.from(clients.keys(), (socket) => once(socket, 'close'));
      for (const { channel, session } of clients.values()) {
        void session.drain().then(() => channel.close(STOPPING, 'The daemon is stopping.'));
      }
      const timer = clock.after(withinMs, () => {
        for (const socket of clients.keys()) socket.destroy();
      });
      await Promise.all([closed, ...gone]);
      timer.stop();
    },
  };
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
    fix: 'Set EXAI_HOME to another folder, or stop that program.',
    cause: thrown,
  });
}
