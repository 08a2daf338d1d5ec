import type { CallError } from '#core/errors/call-error.ts';
import type { HeaderList, HttpContext } from '../http/http-context.ts';

/** A response as it was sent, to be sent again. */
export type RecordedAnswer =
  | {
      readonly is: 'whole';
      readonly status: number;
      readonly type: string;
      readonly body: string;
      readonly headers: HeaderList;
    }
  | { readonly is: 'stream'; readonly headers: HeaderList; text: string };

/** How the recording of a response ended. */
type RecordingEnd = 'complete' | 'failed';

/** A longer stream is sent, and not recorded. */
const MAX_RECORDED_CHARS = 4 * 1024 * 1024;
/** A reader with more unread bytes is disconnected; the others continue. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
const NO_HEADERS: HeaderList = [];

/**
 * A response with several readers: it records what is sent, and sends it to all of them. The work is
 * cancelled only when the last reader has left.
 */
export class SharedContext implements HttpContext {
  readonly request: HttpContext['request'];
  readonly reqId: HttpContext['reqId'];
  onClose: (() => void) | undefined = undefined;
  readonly #first: HttpContext;
  readonly #readers = new Set<HttpContext>();
  readonly #onEnd: (end: RecordingEnd) => void;
  #recorded: RecordedAnswer | undefined = undefined;
  #state: 'recording' | 'too_long' | 'over' = 'recording';
  #error: CallError | undefined = undefined;

  constructor(first: HttpContext, onEnd: (end: RecordingEnd) => void) {
    this.request = first.request;
    this.reqId = first.reqId;
    this.#first = first;
    this.#onEnd = onEnd;
    this.#add(first);
  }

  get isOpen(): boolean {
    return this.#state !== 'over' && this.#readers.size > 0;
  }

  get bufferedBytes(): number {
    const buffered = [...this.#readers].map(({ bufferedBytes }) => bufferedBytes);
    return buffered.length === 0 ? 0 : Math.min(...buffered);
  }

  get error(): CallError | undefined {
    return this.#error;
  }

  set error(error: CallError | undefined) {
    this.#error = error;
    for (const reader of this.#readers) reader.error = error;
  }

  /** What was sent so far; undefined if it cannot be sent again. */
  get recorded(): RecordedAnswer | undefined {
    return this.#state === 'too_long' ? undefined : this.#recorded;
  }

  inSpan<Args extends unknown[]>(work: (...args: Args) => void): (...args: Args) => void {
    return this.#first.inSpan?.(work) ?? work;
  }

  elapsedMs(): number {
    return this.#first.elapsedMs?.() ?? 0;
  }

  /** Whether a further reader can get what the others have got. */
  get isJoinable(): boolean {
    return this.#state === 'recording';
  }

  /** Adds a reader, which first gets what the others have got. Only while it is joinable. */
  join(reader: HttpContext): void {
    this.#add(reader);
    const { recorded } = this;
    if (recorded?.is === 'stream') {
      reader.openStream(recorded.headers);
      reader.write(recorded.text);
    }
  }

  answer(status: number, type: string, body: string, headers: HeaderList = NO_HEADERS): void {
    if (this.#state === 'over') return;
    this.#recorded = { is: 'whole', status, type, body, headers };
    const readers = [...this.#readers];
    this.#finish(status < 300 && this.#error === undefined ? 'complete' : 'failed');
    for (const reader of readers) reader.answer(status, type, body, headers);
  }

  openStream(headers: HeaderList = NO_HEADERS): void {
    this.#recorded = { is: 'stream', headers, text: '' };
    for (const reader of this.#readers) reader.openStream(headers);
  }

  write(text: string): void {
    this.#record(text);
    for (const reader of this.#readers) {
      if (this.#readers.size > 1 && reader.bufferedBytes > MAX_UNREAD_BYTES) reader.destroy();
      else reader.write(text);
    }
  }

  end(last = ''): void {
    if (this.#state === 'over') return;
    this.#record(last);
    const readers = [...this.#readers];
    const isComplete = this.#state === 'recording' && this.#error === undefined;
    this.#finish(isComplete && this.#recorded ? 'complete' : 'failed');
    for (const reader of readers) reader.end(last);
  }

  destroy(): void {
    const readers = [...this.#readers];
    if (this.#state !== 'over') this.#finish('failed');
    for (const reader of readers) reader.destroy();
  }

  #record(text: string): void {
    const recorded = this.#recorded;
    if (this.#state !== 'recording' || recorded?.is !== 'stream') return;
    if (recorded.text.length + text.length > MAX_RECORDED_CHARS) {
      this.#state = 'too_long';
      this.#recorded = undefined;
    } else recorded.text += text;
  }

  #finish(end: RecordingEnd): void {
    this.#state = 'over';
    this.#onEnd(end);
  }

  #add(reader: HttpContext): void {
    this.#readers.add(reader);
    reader.onClose = () => {
      if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
      if (this.#state !== 'over') this.#finish('failed');
      this.onClose?.();
    };
  }
}

/** Sends a recorded answer to another reader. */
export function replayAnswer(answer: RecordedAnswer, reader: HttpContext): void {
  if (answer.is === 'whole') {
    return reader.answer(answer.status, answer.type, answer.body, answer.headers);
  }
  reader.openStream(answer.headers);
  reader.end(answer.text);
}
