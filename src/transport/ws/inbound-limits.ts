import type { Socket } from 'node:net';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { BufferReservation, ReceiveBuffers } from '../http/receive-buffers.ts';

/** Why a connection is closed because of what its client sends. */
export interface Overrun {
  /** Close code. */
  readonly code: number;
  readonly class: ErrorClass;
  /** At most 123 bytes, as a close frame holds no more. */
  readonly reason: string;
}

interface InboundLimitsOptions {
  readonly receiveBuffers: ReceiveBuffers;
  /** See `peerOf`. */
  readonly peer: string;
  /** Called once at most. */
  readonly onOverrun: (overrun: Overrun) => void;
  /** The client sent control frames, whose answers may be piling up. */
  readonly onControls: () => void;
}

/** The limits for what a connection may send, before and after authentication. */
interface InboundLimits {
  readonly isIdentified: boolean;
  /** The caller is known: incomplete messages now count for this principal. */
  identified(principal: string): void;
  /** Releases the reserved memory. */
  end(): void;
}

/** Limit before authentication; enough for every hello. */
const MAX_PENDING_BYTES = 65_536;
/** Includes what arrives in the same chunk as the last byte. */
const MAX_READ_BYTES = 3 * MAX_PENDING_BYTES;
const MAX_PENDING_FRAGMENTS = 64;
const MAX_PENDING_CONTROLS = 64;
/** Overhead of the library: an object per chunk and one per frame. */
const CHUNK_COST_BYTES = 512;
const FRAGMENT_COST_BYTES = 256;

/** Counts the bytes of a WebSocket before the library gets them. */
export function createInboundLimits(socket: Socket, options: InboundLimitsOptions): InboundLimits {
  const meter = new FrameMeter();
  let holding: BufferReservation | undefined;
  let isOver = false;
  let heldBytes = 0;
  let pendingBytes = 0;
  let seenMessages = 0;
  let seenControls = 0;
  let seenFragments = 0;

  function overrun(why: Overrun): void {
    if (isOver) return;
    end();
    options.onOverrun(why);
  }

  function checkPending(bytes: number): void {
    pendingBytes += bytes;
    // After the first message reading is paused until the caller is known, except for the rest of
    // the last chunks.
    const isFirst = meter.messages === 0;
    if (isFirst ? meter.announcedBytes > MAX_PENDING_BYTES : pendingBytes > MAX_READ_BYTES) {
      overrun(TOO_LARGE);
    } else if (meter.fragments > MAX_PENDING_FRAGMENTS || meter.controls > MAX_PENDING_CONTROLS) {
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
    const cost = bytes + CHUNK_COST_BYTES + fragments * FRAGMENT_COST_BYTES;
    seenFragments = meter.fragments;
    heldBytes += cost;
    if (holding?.reserve(cost) === false) overrun(NO_ROOM);
  }

  function onData(chunk: Buffer): void {
    if (isOver) return;
    meter.read(chunk);
    account(chunk.length);
    if (!holding) return checkPending(chunk.length);
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
      holding = options.receiveBuffers.open({
        principal,
        peer: options.peer,
        received: () => socket.bytesRead,
        drop: () => overrun(TOO_SLOW),
      });
      if (heldBytes > 0 && !holding.reserve(heldBytes)) overrun(NO_ROOM);
    },
    end,
  };
}

const TOO_LARGE: Overrun = {
  code: 1009,
  class: 'too_large',
  reason: `A message before the hello is answered has at most ${MAX_PENDING_BYTES} bytes.`,
};

const TOO_MANY_FRAMES: Overrun = {
  code: 1008,
  class: 'bad_request',
  reason: `Before the hello, more than ${MAX_PENDING_FRAGMENTS} frames were sent.`,
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

/** Opcodes from here on are control frames: close, ping, pong. */
const FIRST_CONTROL = 8;
const SHORT_LENGTH = 126;
const MASK_BYTES = 4;

/**
 * Parses the frame headers of a WebSocket, so that sizes are known before the payload is stored. It
 * does not validate: the library refuses invalid frames. A class, because it runs for every chunk.
 */
export class FrameMeter {
  /** Number of complete messages. */
  messages = 0;
  /** Number of control frames. */
  controls = 0;
  /** Announced payload of the incomplete message so far. */
  announcedBytes = 0;
  /** Frames of the incomplete message, the current one included. */
  fragments = 0;
  #step: 'opcode' | 'length' | 'long_length' | 'payload' = 'opcode';
  #opcode = 0;
  #isFinal = false;
  #isMasked = false;
  #length = 0;
  #lengthBytesLeft = 0;
  #bytesLeft = 0;

  /** Whether a message or a frame is incomplete. */
  get isUnfinished(): boolean {
    return this.fragments > 0 || this.#step !== 'opcode';
  }

  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#step === 'payload') {
        const skipped = Math.min(this.#bytesLeft, chunk.length - at);
        this.#bytesLeft -= skipped;
        at += skipped;
        if (this.#bytesLeft === 0) this.#endFrame();
      } else {
        this.#readHead(chunk[at] ?? 0);
        at += 1;
      }
    }
  }

  #readHead(byte: number): void {
    if (this.#step === 'opcode') {
      this.#isFinal = (byte & 0x80) !== 0;
      this.#opcode = byte & 0x0f;
      this.#step = 'length';
    } else if (this.#step === 'length') {
      this.#isMasked = (byte & 0x80) !== 0;
      const length = byte & 0x7f;
      if (length < SHORT_LENGTH) return this.#beginPayload(length);
      this.#length = 0;
      this.#lengthBytesLeft = length === SHORT_LENGTH ? 2 : 8;
      this.#step = 'long_length';
    } else {
      this.#length = this.#length * 256 + byte;
      this.#lengthBytesLeft -= 1;
      if (this.#lengthBytesLeft === 0) this.#beginPayload(this.#length);
    }
  }

  #beginPayload(length: number): void {
    if (this.#opcode < FIRST_CONTROL) {
      this.announcedBytes += length;
      this.fragments += 1;
    } else this.controls += 1;
    this.#step = 'payload';
    this.#bytesLeft = length + (this.#isMasked ? MASK_BYTES : 0);
    if (this.#bytesLeft === 0) this.#endFrame();
  }

  #endFrame(): void {
    this.#step = 'opcode';
    if (this.#opcode >= FIRST_CONTROL || !this.#isFinal) return;
    this.messages += 1;
    this.announcedBytes = 0;
    this.fragments = 0;
  }
}
