/** Continuation, text and binary are below; ping, pong and close are from here on. */
const FIRST_CONTROL = 8;
const SHORT_LENGTH = 126;
const MASK_BYTES = 4;

/**
 * Follows the frames of a WebSocket by their heads alone, so that it is known what is announced before it is kept. It judges nothing:
 * frames that break the protocol are for the library to refuse. A class, as it runs for every piece that arrives.
 */
export class FrameMeter {
  /** Messages that are complete. */
  messages = 0;
  /** Pings, pongs and closes. */
  controls = 0;
  /** Payload that the frames of the unfinished message announce, so far. */
  announcedBytes = 0;
  /** Frames of the unfinished message, the one under way included. */
  fragments = 0;
  #step: 'opcode' | 'length' | 'long_length' | 'payload' = 'opcode';
  #opcode = 0;
  #isFinal = false;
  #isMasked = false;
  #length = 0;
  #lengthBytesLeft = 0;
  #bytesLeft = 0;

  /** Whether a message or a frame has begun and not ended. */
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
