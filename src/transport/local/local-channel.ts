import type { Socket } from 'node:net';
import type { Clock, Timer } from '#core/clock.ts';
import type { Channel } from '../channel.ts';

export interface ChannelLimits {
  /** Above so much unread output nothing more is read from the client. */
  readonly highWaterBytes: number;
  /** A client that lets so much pile up is given up; a single message may be larger. */
  readonly maxUnreadBytes: number;
  /** A client that leaves its output unread for so long is given up. */
  readonly unreadMs: number;
}

export const CHANNEL_LIMITS: ChannelLimits = {
  highWaterBytes: 1_048_576,
  maxUnreadBytes: 67_108_864,
  unreadMs: 120_000,
};

/** Lines to a client on a stream socket. What is sent in one turn of the loop leaves in one system call. */
export function createLocalChannel(
  socket: Socket,
  clock: Clock,
  limits: ChannelLimits = CHANNEL_LIMITS,
): Channel {
  let corked = false;
  let unread: Timer | undefined;

  const uncork = () => {
    corked = false;
    socket.uncork();
    if (unread === undefined && socket.writableLength > limits.highWaterBytes) hold();
  };

  function hold(): void {
    socket.pause();
    unread = clock.after(limits.unreadMs, () => socket.destroy());
    socket.once('drain', release);
  }

  function release(): void {
    unread?.stop();
    unread = undefined;
    socket.resume();
  }

  socket.once('close', () => unread?.stop());
  return {
    door: 'unix',
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
      // Of one who does not read, the last words would otherwise wait for ever, and the socket with them.
      unread ??= clock.after(limits.unreadMs, () => socket.destroy());
    },
  };
}
