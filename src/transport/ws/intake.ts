import type { Socket } from 'node:net';
import type { ErrorClass } from '#core/error-class.ts';
import type { Arriving, Holding } from '../http/arriving.ts';
import { FrameMeter } from './frame-meter.ts';

/** Why a connection is ended for what its client sends. */
export interface Overrun {
  /** Of the close frame. */
  readonly code: number;
  readonly class: ErrorClass;
  /** At most 123 bytes, as a close frame holds no more. */
  readonly reason: string;
}

export interface IntakeOptions {
  readonly arriving: Arriving;
  /** See `peerOf`. */
  readonly peer: string;
  /** Called once at most. */
  readonly onOverrun: (overrun: Overrun) => void;
  /** The client sent what is answered at once: its answers may be piling up. */
  readonly onControls: () => void;
}

/** What a connection may send, by what is known of its caller. */
export interface Intake {
  readonly isIdentified: boolean;
  /** The caller is known: from here on what is unfinished counts as held by this principal. */
  identified(principal: string): void;
  /** Gives back what is held. */
  end(): void;
}

/** Enough for every hello. */
export const MAX_NEWCOMER_BYTES = 65_536;
/** With what comes along when its last byte is read. */
const MAX_READ_BYTES = 3 * MAX_NEWCOMER_BYTES;
const MAX_NEWCOMER_FRAGMENTS = 64;
const MAX_NEWCOMER_CONTROLS = 64;
/** What the library keeps beside the bytes: an object for each piece that was read, and one for each frame. */
const PIECE_COST_BYTES = 512;
const FRAGMENT_COST_BYTES = 256;

/** Watches the bytes of a WebSocket before the library gets them. */
export function createIntake(socket: Socket, options: IntakeOptions): Intake {
  const meter = new FrameMeter();
  let holding: Holding | undefined;
  let isOver = false;
  let heldBytes = 0;
  let newcomerBytes = 0;
  let seenMessages = 0;
  let seenControls = 0;
  let seenFragments = 0;

  function overrun(why: Overrun): void {
    if (isOver) return;
    end();
    options.onOverrun(why);
  }

  function checkNewcomer(bytes: number): void {
    newcomerBytes += bytes;
    // What follows the first message is not read until the caller is known, but for the rest of the last pieces.
    const isFirst = meter.messages === 0;
    if (isFirst ? meter.announcedBytes > MAX_NEWCOMER_BYTES : newcomerBytes > MAX_READ_BYTES) {
      overrun(TOO_LARGE);
    } else if (meter.fragments > MAX_NEWCOMER_FRAGMENTS || meter.controls > MAX_NEWCOMER_CONTROLS) {
      overrun(TOO_MANY_FRAMES);
    }
  }

  function account(bytes: number): void {
    const { isUnfinished } = meter;
    if (heldBytes > 0 && (!isUnfinished || meter.messages !== seenMessages)) {
      holding?.release();
      heldBytes = 0;
      seenFragments = 0;
    }
    seenMessages = meter.messages;
    if (!isUnfinished) return;
    const fragments = meter.fragments - seenFragments;
    const cost = bytes + PIECE_COST_BYTES + fragments * FRAGMENT_COST_BYTES;
    seenFragments = meter.fragments;
    heldBytes += cost;
    if (holding?.take(cost) === false) overrun(NO_ROOM);
  }

  function onData(chunk: Buffer): void {
    if (isOver) return;
    meter.read(chunk);
    account(chunk.length);
    if (!holding) return checkNewcomer(chunk.length);
    if (meter.controls === seenControls) return;
    seenControls = meter.controls;
    options.onControls();
  }

  function end(): void {
    isOver = true;
    holding?.release();
  }

  socket.prependListener('data', onData);
  return {
    get isIdentified() {
      return holding !== undefined;
    },
    identified(principal) {
      holding?.release();
      holding = options.arriving.hold({
        principal,
        peer: options.peer,
        received: () => socket.bytesRead,
        cut: () => overrun(TOO_SLOW),
      });
      if (heldBytes > 0 && !holding.take(heldBytes)) overrun(NO_ROOM);
    },
    end,
  };
}

const TOO_LARGE: Overrun = {
  code: 1009,
  class: 'too_large',
  reason: `A message before the hello is answered has at most ${MAX_NEWCOMER_BYTES} bytes.`,
};

const TOO_MANY_FRAMES: Overrun = {
  code: 1008,
  class: 'bad_request',
  reason: `Before the hello, more than ${MAX_NEWCOMER_FRAGMENTS} frames were sent.`,
};

const NO_ROOM: Overrun = {
  code: 1013,
  class: 'over_capacity',
  reason: 'Too many messages are arriving at once. Connect again in a second.',
};

const TOO_SLOW: Overrun = {
  code: 1013,
  class: 'timeout',
  reason: 'A message arrived too slowly while others needed its memory. Send it again.',
};
