import { BAD_TRANSPORT, type RequestId } from '#mcp/json-rpc.ts';
import type { HeaderList, ResponseSink } from '../http/http-context.ts';
import {
  createEventStore,
  createResumableStream,
  eventsAfter,
  type EventStoreBudget,
  type ResumableStream,
  type StreamOwner,
  type StreamTimeoutQueues,
} from './resumable-stream.ts';
import { KEEPALIVE, primingFrame, readEventId, toEventId } from './sse-frames.ts';
import { badRequest, JSON_TYPE, type McpRefusal } from './refusal.ts';
import {
  createStallDetector,
  HIGH_WATER_BYTES,
  isStalled,
  MAX_BUFFERED_BYTES,
} from './backpressure.ts';

interface LegacyStreamsOptions {
  readonly timeouts: StreamTimeoutQueues;
  readonly budget: EventStoreBudget;
  /** Whether the client accepts events without data, and resumes a stream that ends early. */
  readonly isPolled: () => boolean;
  /** Additional response headers of a stream. */
  readonly headersOf: (stream: ResumableStream) => HeaderList | undefined;
  /**
   * Whether the caller's credential is still valid; checked at every keep-alive. False ends the
   * session.
   */
  readonly checkCredential: () => boolean;
  /** A client connected to a stream or left it. */
  readonly onChange: () => void;
}

/**
 * The streams of one session with their readers and stored events. A refused request changes
 * nothing.
 */
interface LegacyStreams {
  /** Number of connected responses. */
  readonly readers: number;
  /** The stream of unsolicited messages. */
  readonly unsolicited: ResumableStream;
  /** Opens the stream that answers a request. */
  open(request: RequestId, out: ResponseSink): ResumableStream;
  send(stream: ResumableStream, text: string): void;
  /** Sends the answer and ends the stream; a plain JSON answer if nothing was sent before. */
  finish(stream: ResumableStream, text: string, status: number, headers?: HeaderList): void;
  /** Ends a stream without an answer. */
  drop(stream: ResumableStream): void;
  /** Ends the current response; the client may resume. */
  dismiss(stream: ResumableStream): void;
  isClear(stream: ResumableStream | undefined): boolean;
  listen(out: ResponseSink): McpRefusal | undefined;
  resume(lastEventId: string, out: ResponseSink): McpRefusal | undefined;
  /** Drops stored events. */
  shed(): void;
  /** Drops all streams and ends their responses. */
  end(): void;
}

const RETRY_MS = 1000;
const UNSOLICITED = 0;
/** While no client reads, optional messages are skipped above this. */
const MAX_UNSENT_EVENTS = 256;

export function createLegacyStreams(options: LegacyStreamsOptions): LegacyStreams {
  const { timeouts, isPolled, onChange } = options;
  const store = createEventStore(options.budget);
  let made = 0;
  let readers = 0;

  const owner: StreamOwner = {
    onSlow: (stream) => {
      if (stream.phase === 'waiting') begin(stream);
    },
    onKeepalive(stream) {
      const { out } = stream;
      if (!out || !options.checkCredential()) return;
      if (isStalled(out, stream.stall)) return abandon(stream);
      if (out.bufferedBytes < HIGH_WATER_BYTES) out.write(KEEPALIVE);
      stream.keepalive = timeouts.keepalive.add(stream);
    },
    onLong: (stream) => dismiss(stream),
    onOld: (stream) => store.forget(stream),
  };
  const unsolicited = createResumableStream(owner, UNSOLICITED, undefined);
  unsolicited.phase = 'open';
  store.add(unsolicited);

  function attach(stream: ResumableStream, out: ResponseSink): void {
    stream.out = out;
    readers += 1;
    out.onClose = () => {
      if (stream.out !== out) return;
      detach(stream);
      // No event was sent, so there is none to resume from.
      if (stream.phase === 'waiting') stream.phase = 'lost';
      onChange();
    };
  }

  function detach(stream: ResumableStream): ResponseSink | undefined {
    const { out } = stream;
    if (!out) return undefined;
    stream.out = undefined;
    out.onClose = undefined;
    readers -= 1;
    timeouts.slow?.remove(stream.timeout);
    timeouts.long?.remove(stream.timeout);
    timeouts.keepalive.remove(stream.keepalive);
    return out;
  }

  function dismiss(stream: ResumableStream): void {
    detach(stream)?.end();
    onChange();
  }

  /** Disconnects a client that does not read; it may resume. */
  function abandon(stream: ResumableStream): void {
    detach(stream)?.destroy();
    onChange();
  }

  /** Writes the head of a stream that continues after an event. */
  function head(stream: ResumableStream, event: number): void {
    const { out, number } = stream;
    out?.openStream(options.headersOf(stream));
    // Repeated on resume: the client would lose its position if this stream broke before its first
    // event.
    if (isPolled()) out?.write(primingFrame(toEventId({ stream: number, event }), RETRY_MS));
    if (stream.phase === 'done') return;
    stream.stall = createStallDetector();
    stream.keepalive = timeouts.keepalive.add(stream);
  }

  /** Turns a waiting answer into a stream. */
  function begin(stream: ResumableStream): void {
    timeouts.slow?.remove(stream.timeout);
    stream.phase = 'open';
    store.add(stream);
    head(stream, 0);
    // Only once: a client that resumed for the answer must get it.
    if (isPolled()) stream.timeout = timeouts.long?.add(stream);
  }

  function send(stream: ResumableStream, text: string): void {
    if (stream.phase === 'waiting') begin(stream);
    if (stream.phase === 'open') write(stream, store.append(stream, text));
  }

  function write(stream: ResumableStream, frames: string): void {
    const { out } = stream;
    if (!out) return;
    if (out.bufferedBytes > MAX_BUFFERED_BYTES) return abandon(stream);
    out.write(frames);
    stream.sent = stream.last;
  }

  function close(stream: ResumableStream): void {
    if (stream.phase !== 'open') return;
    stream.phase = 'done';
    detach(stream)?.end();
    stream.timeout = timeouts.old.add(stream);
  }

  return {
    get readers() {
      return readers;
    },
    unsolicited,
    open(request, out) {
      made += 1;
      const stream = createResumableStream(owner, made, request);
      attach(stream, out);
      if (timeouts.slow) stream.timeout = timeouts.slow.add(stream);
      else begin(stream);
      return stream;
    },
    send,
    finish(stream, text, status, headers) {
      if (stream.phase === 'waiting') {
        detach(stream)?.answer(status, JSON_TYPE, text, headers);
        stream.phase = 'done';
      } else {
        send(stream, text);
        close(stream);
      }
    },
    drop(stream) {
      if (stream.phase !== 'waiting') return close(stream);
      const out = detach(stream);
      stream.phase = 'lost';
      out?.openStream();
      out?.end();
    },
    dismiss,
    isClear(stream) {
      if (!stream || stream.phase === 'lost') return false;
      if (stream.out) return stream.out.bufferedBytes < HIGH_WATER_BYTES;
      return stream.last - stream.sent < MAX_UNSENT_EVENTS && stream.storedChars < HIGH_WATER_BYTES;
    },
    listen(out) {
      if (unsolicited.out) return SECOND_STREAM;
      const from = Math.max(unsolicited.sent, unsolicited.cut);
      attach(unsolicited, out);
      head(unsolicited, from);
      const waiting = eventsAfter(unsolicited, from) ?? [];
      if (waiting.length > 0) write(unsolicited, waiting.join(''));
      onChange();
      return undefined;
    },
    resume(lastEventId, out) {
      const from = readEventId(lastEventId);
      const stream = from && store.find(from.stream);
      const missed = stream && eventsAfter(stream, from.event);
      if (!missed) return stream === unsolicited ? MISSED_EVENTS : UNKNOWN_EVENT;
      // A resuming client has left the old connection, even if that still looks alive.
      detach(stream)?.destroy();
      attach(stream, out);
      head(stream, from.event);
      if (missed.length > 0) write(stream, missed.join(''));
      if (stream.phase === 'done') dismiss(stream);
      onChange();
      return undefined;
    },
    shed: () => store.shed(),
    end() {
      detach(unsolicited)?.end();
      unsolicited.phase = 'done';
      store.clear((stream) => timeouts.old.remove(stream.timeout));
    },
  };
}

const SECOND_STREAM: McpRefusal = {
  status: 409,
  code: BAD_TRANSPORT,
  message: 'The session has its one stream open already. Close that first, or send Last-Event-ID.',
  class: 'conflict',
};

const UNKNOWN_EVENT = badRequest(
  'Last-Event-ID is not an event of this session, or later events are no longer stored. Send the request again.',
);

const MISSED_EVENTS = badRequest(
  'What followed Last-Event-ID is no longer kept. Send GET without it to hear what comes from now on, and ask again for what may have changed.',
);
