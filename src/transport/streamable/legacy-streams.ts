import { BAD_TRANSPORT, type RequestId } from '#mcp/json-rpc.ts';
import type { HeaderList, Out } from '../http/endpoint.ts';
import { createEventLog, type LogBudget } from './event-log.ts';
import { KEEPALIVE, primingFrame, readEventId, toEventId } from './events.ts';
import { createStream, eventsAfter, type KeptStream, type StreamOwner } from './kept-stream.ts';
import { badRequest, JSON_TYPE, type Refusal } from './refusal.ts';
import type { StreamLines } from './stream-lines.ts';
import { createPulse, HIGH_WATER, isStalled, MAX_UNREAD } from './unread.ts';

interface LegacyStreamsOptions {
  readonly lines: StreamLines;
  readonly budget: LogBudget;
  /** Whether the client understands events without data, and comes back when a stream ends early. */
  readonly isPolled: () => boolean;
  /** What the head of a stream says beside the usual. */
  readonly headersOf: (stream: KeptStream) => HeaderList | undefined;
  /** Whether whoever listens still may; asked at every sign of life. False ends the session. */
  readonly mayStay: () => boolean;
  /** Somebody came or went. */
  readonly onChange: () => void;
}

/** The streams of one session: who reads them, and what was said on them. A refusal leaves everything as it was. */
interface LegacyStreams {
  /** Who is connected. */
  readonly readers: number;
  /** The stream of what belongs to no request. */
  readonly unsolicited: KeptStream;
  /** The answer to a request, which goes out there. */
  open(request: RequestId, out: Out): KeptStream;
  say(stream: KeptStream, text: string): void;
  /** The last word on a stream; the whole answer when nothing was said before. */
  finish(stream: KeptStream, text: string, status: number, headers?: HeaderList): void;
  /** Ends it without an answer. */
  drop(stream: KeptStream): void;
  /** Whoever reads it is let go, and may come back. */
  dismiss(stream: KeptStream): void;
  isClear(stream: KeptStream | undefined): boolean;
  listen(out: Out): Refusal | undefined;
  resume(lastEventId: string, out: Out): Refusal | undefined;
  /** Forgets what was said. */
  shed(): void;
  /** Forgets everything; lets whoever listens go. */
  end(): void;
}

const RETRY_MS = 1000;
const UNSOLICITED = 0;
/** While nobody reads, what may be left out is left out above this. */
const MAX_UNGIVEN_EVENTS = 256;

export function createLegacyStreams(options: LegacyStreamsOptions): LegacyStreams {
  const { lines, isPolled, onChange } = options;
  const log = createEventLog(options.budget);
  let made = 0;
  let readers = 0;

  const owner: StreamOwner = {
    onSlow: (stream) => {
      if (stream.phase === 'waiting') begin(stream);
    },
    onKeepalive(stream) {
      const { out } = stream;
      if (!out || !options.mayStay()) return;
      if (isStalled(out, stream.pulse)) return abandon(stream);
      if (out.unread < HIGH_WATER) out.write(KEEPALIVE);
      stream.keepalive = lines.keepalive.add(stream);
    },
    onLong: (stream) => dismiss(stream),
    onOld: (stream) => log.forget(stream),
  };
  const unsolicited = createStream(owner, UNSOLICITED, undefined);
  unsolicited.phase = 'open';
  log.add(unsolicited);

  function attach(stream: KeptStream, out: Out): void {
    stream.out = out;
    readers += 1;
    out.onClose = () => {
      if (stream.out !== out) return;
      detach(stream);
      // Nothing was said, so there is no event to come back to.
      if (stream.phase === 'waiting') stream.phase = 'lost';
      onChange();
    };
  }

  function detach(stream: KeptStream): Out | undefined {
    const { out } = stream;
    if (!out) return undefined;
    stream.out = undefined;
    out.onClose = undefined;
    readers -= 1;
    lines.slow?.remove(stream.ticket);
    lines.long?.remove(stream.ticket);
    lines.keepalive.remove(stream.keepalive);
    return out;
  }

  function dismiss(stream: KeptStream): void {
    detach(stream)?.end();
    onChange();
  }

  /** Whoever is there does not read: it may come back for what is kept. */
  function abandon(stream: KeptStream): void {
    detach(stream)?.cut();
    onChange();
  }

  /** The head of a stream that goes on after an event. */
  function head(stream: KeptStream, event: number): void {
    const { out, number } = stream;
    out?.openStream(options.headersOf(stream));
    // Repeated to who comes back: it would forget where it was if this stream broke before its first event.
    if (isPolled()) out?.write(primingFrame(toEventId({ stream: number, event }), RETRY_MS));
    if (stream.phase === 'done') return;
    stream.pulse = createPulse();
    stream.keepalive = lines.keepalive.add(stream);
  }

  /** A waiting answer becomes a stream. */
  function begin(stream: KeptStream): void {
    lines.slow?.remove(stream.ticket);
    stream.phase = 'open';
    log.add(stream);
    head(stream, 0);
    // Once: who came back for the answer shall get it.
    if (isPolled()) stream.ticket = lines.long?.add(stream);
  }

  function say(stream: KeptStream, text: string): void {
    if (stream.phase === 'waiting') begin(stream);
    if (stream.phase === 'open') write(stream, log.say(stream, text));
  }

  function write(stream: KeptStream, frames: string): void {
    const { out } = stream;
    if (!out) return;
    if (out.unread > MAX_UNREAD) return abandon(stream);
    out.write(frames);
    stream.given = stream.last;
  }

  function close(stream: KeptStream): void {
    if (stream.phase !== 'open') return;
    stream.phase = 'done';
    detach(stream)?.end();
    stream.ticket = lines.old.add(stream);
  }

  return {
    get readers() {
      return readers;
    },
    unsolicited,
    open(request, out) {
      made += 1;
      const stream = createStream(owner, made, request);
      attach(stream, out);
      if (lines.slow) stream.ticket = lines.slow.add(stream);
      else begin(stream);
      return stream;
    },
    say,
    finish(stream, text, status, headers) {
      if (stream.phase === 'waiting') {
        detach(stream)?.answer(status, JSON_TYPE, text, headers);
        stream.phase = 'done';
      } else {
        say(stream, text);
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
      if (stream.out) return stream.out.unread < HIGH_WATER;
      return stream.last - stream.given < MAX_UNGIVEN_EVENTS && stream.keptChars < HIGH_WATER;
    },
    listen(out) {
      if (unsolicited.out) return SECOND_STREAM;
      const from = Math.max(unsolicited.given, unsolicited.cut);
      attach(unsolicited, out);
      head(unsolicited, from);
      const waiting = eventsAfter(unsolicited, from) ?? [];
      if (waiting.length > 0) write(unsolicited, waiting.join(''));
      onChange();
      return undefined;
    },
    resume(lastEventId, out) {
      const from = readEventId(lastEventId);
      const stream = from && log.find(from.stream);
      const missed = stream && eventsAfter(stream, from.event);
      if (!missed) return stream === unsolicited ? MISSED_EVENTS : UNKNOWN_EVENT;
      // Whoever comes back has left: the old connection may only look alive.
      detach(stream)?.cut();
      attach(stream, out);
      head(stream, from.event);
      if (missed.length > 0) write(stream, missed.join(''));
      if (stream.phase === 'done') dismiss(stream);
      onChange();
      return undefined;
    },
    shed: () => log.shed(),
    end() {
      detach(unsolicited)?.end();
      unsolicited.phase = 'done';
      log.clear((stream) => lines.old.remove(stream.ticket));
    },
  };
}

const SECOND_STREAM: Refusal = {
  status: 409,
  code: BAD_TRANSPORT,
  message: 'The session has its one stream open already. Close that first, or send Last-Event-ID.',
  class: 'conflict',
};

const UNKNOWN_EVENT = badRequest(
  'Last-Event-ID is no event of this session, or what followed it is no longer kept. Send the request again.',
);

const MISSED_EVENTS = badRequest(
  'What followed Last-Event-ID is no longer kept. Send GET without it to hear what comes from now on, and ask again for what may have changed.',
);
