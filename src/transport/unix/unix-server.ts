import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { CallError } from '#core/errors/call-error.ts';
import { refusedLine } from '#core/local-socket/handshake.ts';
import { createMessageOrder } from '#core/large-json/message-order.ts';
import { createLines, notUtf8Line } from '#core/local-socket/lines.ts';
import { fix } from '#core/messages/fixes.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { unidentifiedErrorResponse } from '#mcp/json-rpc.ts';
import type { Channel, OpenSession, Session } from '../channel.ts';
import { LARGE_MESSAGE_BYTES, parseLargeMessage } from '../parse-large-message.ts';
import { THIS_MACHINE } from '../http/peer-address.ts';
import type { ReceiveBuffers } from '../http/receive-buffers.ts';

export interface UnixServerOptions {
  /** See `isUsableSocketPath`. */
  readonly path: string;
  /** The address to listen on, if it differs from the path. Called when the path is free. */
  readonly address?: () => string;
  readonly openSession: OpenSession;
  newSession(): string;
  readonly maxFrameBytes: number;
  readonly maxConnections: number;
  /** Memory budget for incomplete lines, shared by all listeners. */
  readonly receiveBuffers: ReceiveBuffers;
  readonly clock: Clock;
  readonly log: Log;
  /** Removes the socket file of a killed daemon. The caller must hold the lock of the home. */
  removeStale(path: string): void;
  readonly limits?: ChannelLimits;
}

/** The unix socket transport. */
export interface UnixServer {
  /** Number of connected clients. */
  readonly size: number;
  /** Listens again after the socket file was removed; its clients stay connected. */
  reopen(): Promise<void>;
  /** Accepts no more clients, lets running calls finish within the time, then disconnects. */
  drain(withinMs: number): Promise<void>;
}

interface Client {
  readonly channel: Channel;
  readonly drain: () => Promise<void>;
  readonly interrupt: () => void;
}

const STOPPING = 1001;
const FAILED = 1011;
const RETRY_AFTER_MS = 1000;
/** Time for clients to read the last answers before their connections are cut. */
const FLUSH_MS = 250;
const WARNINGS_PER_MINUTE = 10;
/** Access for the owner only. */
const UMASK = 0o177;

/** Serves the socket file of a home. Only its user can open it, which is the authentication. */
export async function createUnixServer(options: UnixServerOptions): Promise<UnixServer> {
  const { path, clock, log, limits = CHANNEL_LIMITS } = options;
  const clients = new Map<Socket, Client>();
  const warn = createRateLimitedLog(log, clock, WARNINGS_PER_MINUTE);

  function accept(socket: Socket): void {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Disconnects are normal.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET')
        warn('unix_socket_failed', { error });
    });
    if (clients.size < options.maxConnections) return serve(socket);
    warn('unix_listener_full', { connections: clients.size });
    const text = `All ${options.maxConnections} connections of the daemon are in use.`;
    const error = new CallError('over_capacity', text, { retryAfterMs: RETRY_AFTER_MS });
    createUnixChannel(socket, clock, limits).send(refusedLine(error));
    socket.destroySoon();
  }

  function serve(socket: Socket): void {
    const pauses = createPauses(socket);
    const channel = createUnixChannel(socket, clock, limits, pauses);
    const opening = { session: options.newSession(), token: undefined, protocol: undefined };
    let session: Session | undefined;
    /** Runs `work`; an exception closes this connection only. */
    const guarded = (work: () => void) => {
      try {
        work();
      } catch (thrown) {
        log.error('unix_session_failed', { cause: thrown });
        channel.close(FAILED, 'Something failed inside EX-AI.');
      }
    };
    clients.set(socket, {
      channel,
      drain: async () => session?.drain(),
      interrupt: () => guarded(() => session?.interrupt()),
    });
    guarded(() => {
      session = options.openSession(channel, opening);
    });
    const holding = options.receiveBuffers.open({
      // Only the owner can open the file.
      principal: OWNER_PRINCIPAL,
      peer: THIS_MACHINE,
      received: () => socket.bytesRead,
      drop: () => lines.drop(),
    });
    const messages = createMessageOrder({
      parseLarge: (bytes) => parseLargeMessage(bytes, opening.session),
      deliver: (message) => guarded(() => session?.onMessage(message)),
      onBusy: () => pauses.add('large_message'),
      onIdle: () => pauses.remove('large_message'),
    });
    const lines = createLines({
      holding,
      maxBytes: options.maxFrameBytes,
      onLine: (line) => messages.push(line),
      large: {
        minBytes: LARGE_MESSAGE_BYTES,
        onLine(bytes) {
          if (isUtf8(bytes)) messages.push(bytes);
          else channel.send(unidentifiedErrorResponse(notUtf8Line()));
        },
      },
      onRefused: (error) => channel.send(unidentifiedErrorResponse(error)),
    });
    socket.on('data', (chunk: Buffer) => lines.push(chunk));
    socket.once('end', () => {
      // Writing an empty line shows whether the client only stopped sending or is gone.
      if (socket.writable) socket.write('\n');
      messages.atEnd(() => guarded(() => session?.onEnd()));
    });
    socket.once('close', () => {
      clients.delete(socket);
      holding.release();
      messages.close();
      guarded(() => session?.onClose());
    });
  }

  async function dismiss({ channel, drain }: Client): Promise<void> {
    try {
      await drain();
    } catch (thrown) {
      log.error('unix_session_failed', { cause: thrown });
    }
    channel.close(STOPPING, 'The daemon is stopping.');
  }

  async function open(): Promise<Server> {
    const opened = createServer({ allowHalfOpen: true }, accept);
    await listen(opened, options.address?.() ?? path);
    opened.on('error', (error) => warn('unix_listener_failed', { error }));
    return opened;
  }

  async function replace(): Promise<void> {
    // No client can reach it, and closing it later would remove the new file.
    server.close();
    try {
      server = await open();
      log.warn('unix_socket_reopened', { path });
    } catch (error) {
      warn('unix_listener_failed', { error });
    }
    reopening = undefined;
  }

  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));

  removeStaleSocket(options);
  let server = await open();
  let isDraining = false;
  let reopening: Promise<void> | undefined;
  return {
    get size() {
      return clients.size;
    },
    async reopen() {
      if (!isDraining) await (reopening ??= replace());
    },
    async drain(withinMs) {
      isDraining = true;
      const closed = reopening ? reopening.then(close) : close();
      const gone = Array.from(clients.keys(), (socket) => once(socket, 'close'));
      for (const client of clients.values()) void dismiss(client);
      let timer = clock.after(withinMs, () => {
        for (const { interrupt, channel } of clients.values()) {
          interrupt();
          channel.close(STOPPING, 'The daemon is stopping.');
        }
        timer = clock.after(FLUSH_MS, () => {
          for (const socket of clients.keys()) socket.destroy();
        });
      });
      await Promise.all([closed, ...gone]);
      timer.stop();
    },
  };
}

function removeStaleSocket(options: UnixServerOptions): void {
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

/** Listens with a umask, so that the file is private from the first moment. */
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

interface ChannelLimits {
  /** Above this much unread output, reading from the client is paused. */
  readonly highWaterBytes: number;
  /** A client with more unread output is disconnected; a single message may be larger. */
  readonly maxUnreadBytes: number;
  /** A client that does not read for this long is disconnected. */
  readonly unreadMs: number;
}

const CHANNEL_LIMITS: ChannelLimits = {
  highWaterBytes: 1_048_576,
  maxUnreadBytes: 67_108_864,
  unreadMs: 120_000,
};

type PauseReason = 'unread_answers' | 'large_message';

interface Pauses {
  add(reason: PauseReason): void;
  remove(reason: PauseReason): void;
}

/** Reads from a socket while there is no reason against it. */
function createPauses(socket: Socket): Pauses {
  const reasons = new Set<PauseReason>();
  return {
    add(reason) {
      reasons.add(reason);
      socket.pause();
    },
    remove(reason) {
      if (reasons.delete(reason) && reasons.size === 0) socket.resume();
    },
  };
}

/**
 * A channel over a stream socket, one message per line. Messages of one turn of the event loop
 * leave in one system call.
 */
function createUnixChannel(
  socket: Socket,
  clock: Clock,
  limits: ChannelLimits,
  pauses: Pauses = createPauses(socket),
): Channel {
  let corked = false;
  let unread: Timer | undefined;

  const uncork = () => {
    corked = false;
    socket.uncork();
    if (unread === undefined && socket.writableLength > limits.highWaterBytes) hold();
  };

  function hold(): void {
    pauses.add('unread_answers');
    unread = clock.after(limits.unreadMs, () => socket.destroy());
    socket.once('drain', release);
  }

  function release(): void {
    unread?.stop();
    unread = undefined;
    pauses.remove('unread_answers');
  }

  socket.once('close', () => unread?.stop());
  return {
    transport: 'unix',
    get isClear() {
      return unread === undefined && socket.writableLength <= limits.highWaterBytes;
    },
    send(text) {
      if (!socket.writable) return;
      if (socket.writableLength > limits.maxUnreadBytes) return void socket.destroy();
      if (!corked) {
        corked = true;
        socket.cork();
        process.nextTick(uncork);
      }
      socket.write(`${text}\n`);
    },
    close() {
      socket.destroySoon();
      // Otherwise a client that does not read would keep the socket open forever.
      unread ??= clock.after(limits.unreadMs, () => socket.destroy());
    },
  };
}
