import { createBriefMap } from '#core/brief-map.ts';
import type { Caller } from '#core/call.ts';
import type { Out } from '../http/endpoint.ts';
import { LEGACY_VERSIONS } from '../mcp/initialize-reply.ts';
import { errorReply, isRequestId, type RequestId } from '../mcp/json-rpc.ts';
import type { McpLine } from '../mcp/mcp-line.ts';
import type { RpcNotification, RpcRequest, RpcResponse } from '../mcp/read-message.ts';
import { createEventLog, type LogBudget } from './event-log.ts';
import { KEEPALIVE, primingFrame, readEventId, toEventId } from './events.ts';
import type { OpenMcp } from './http-about.ts';
import { createStream, eventsAfter, type KeptStream, type StreamOwner } from './kept-stream.ts';
import { negotiatedVersion } from './negotiated-version.ts';
import { badRequest, JSON_TYPE, SESSION_NOT_FOUND, type Refusal } from './refusal.ts';
import type { StreamLines } from './stream-lines.ts';
import { createPulse, HIGH_WATER, isStalled, MAX_UNREAD } from './unread.ts';

export interface LegacyOptions {
  readonly id: string;
  readonly caller: Caller;
  readonly openMcp: OpenMcp;
  readonly lines: StreamLines;
  readonly budget: LogBudget;
  readonly isGood: (caller: Caller) => boolean;
  /** `idle`: nothing runs and nobody listens. */
  readonly onRest: (state: 'idle' | 'busy') => void;
  readonly onEnd: () => void;
}

/** One session of Streamable HTTP as it was until 2025-11-25. A refusal leaves everything as it was. */
export interface LegacySession {
  readonly id: string;
  readonly caller: Caller;
  /** A request; its answer goes out there, at once or by and by. */
  ask(message: RpcRequest, out: Out): Refusal | undefined;
  tell(message: RpcNotification | RpcResponse): void;
  /** Opens the stream of what belongs to no request. */
  listen(out: Out): Refusal | undefined;
  /** Goes on after the event that a client saw last, on whichever stream that was. */
  resume(lastEventId: string, out: Out): Refusal | undefined;
  /** Forgets what was said, for the sake of others. */
  shed(): void;
  /** Lets what runs finish, then ends. */
  drain(): Promise<void>;
  /** Cancels what runs and lets everybody go who waits. */
  end(): void;
}

/** Since this revision clients understand events without data, and come back when a stream ends early. */
const SINCE_POLLING = '2025-11-25';
const RETRY_MS = 1000;
const UNSOLICITED = 0;
/** The stream of the answer to `initialize`. */
const OPENING = 1;
/** While nobody reads, what may be left out is left out above this. */
const MAX_UNGIVEN_EVENTS = 256;
const EXPECTED_REQUESTS = 16;

export function createLegacySession(options: LegacyOptions): LegacySession {
  const { id, caller, lines } = options;
  const log = createEventLog(options.budget);
  /** Those that have no answer yet. */
  const requests = createBriefMap<RequestId, KeptStream>(EXPECTED_REQUESTS);
  let version: string | undefined;
  let phase: 'new' | 'opening' | 'ready' | 'ended' = 'new';
  let streamsMade = 0;
  /** Who is connected. */
  let outs = 0;
  let isResting = true;

  const owner: StreamOwner = {
    onSlow: (stream) => {
      if (stream.phase === 'waiting') begin(stream);
    },
    onKeepalive(stream) {
      const { out } = stream;
      if (!out) return;
      if (!options.isGood(caller)) return end();
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

  const line: McpLine = {
    send(text, about) {
      if (about !== undefined) {
        const stream = requests.get(about);
        if (stream) say(stream, text);
      } else if (options.isGood(caller)) say(unsolicited, text);
      else end();
    },
    reply(about, text, status = 200) {
      const stream = requests.delete(about);
      if (stream) finish(stream, text, status);
    },
    isClear(about) {
      const stream = about === undefined ? unsolicited : requests.get(about);
      if (!stream || stream.phase === 'lost') return false;
      if (stream.out) return stream.out.unread < HIGH_WATER;
      return stream.last - stream.given < MAX_UNGIVEN_EVENTS && stream.keptChars < HIGH_WATER;
    },
    close: () => end(),
  };
  const session = options.openMcp(line, { caller, session: id, door: 'http', era: 'legacy' });

  function rest(): void {
    const rests = requests.size === 0 && outs === 0;
    if (rests === isResting || phase === 'ended') return;
    isResting = rests;
    options.onRest(rests ? 'idle' : 'busy');
  }

  function attach(stream: KeptStream, out: Out): void {
    stream.out = out;
    outs += 1;
    out.onClose = () => {
      if (stream.out !== out) return;
      detach(stream);
      // Nothing was said, so there is no event to come back to.
      if (stream.phase === 'waiting') stream.phase = 'lost';
      rest();
    };
  }

  function detach(stream: KeptStream): Out | undefined {
    const { out } = stream;
    if (!out) return undefined;
    stream.out = undefined;
    out.onClose = undefined;
    outs -= 1;
    lines.slow?.remove(stream.ticket);
    lines.long?.remove(stream.ticket);
    lines.keepalive.remove(stream.keepalive);
    return out;
  }

  function dismiss(stream: KeptStream): void {
    detach(stream)?.end();
    rest();
  }

  function isPolled(): boolean {
    return version !== undefined && version >= SINCE_POLLING;
  }

  /** Whoever is there does not read: it may come back for what is kept. */
  function abandon(stream: KeptStream): void {
    detach(stream)?.cut();
    rest();
  }

  /** The head of a stream that goes on after an event. */
  function open(stream: KeptStream, event: number): void {
    const { out, number } = stream;
    out?.openStream(number === OPENING && phase === 'opening' ? sessionHeader : undefined);
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
    open(stream, 0);
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

  function finish(stream: KeptStream, text: string, status: number): void {
    const isOpening = phase === 'opening' && stream.number === OPENING;
    if (isOpening) version = negotiatedVersion(text);
    const wasLost = stream.phase === 'lost';
    if (stream.phase === 'waiting') {
      const headers = isOpening && version !== undefined ? sessionHeader : undefined;
      detach(stream)?.answer(status, JSON_TYPE, text, headers);
      stream.phase = 'done';
    } else {
      say(stream, text);
      close(stream);
    }
    if (!isOpening) return rest();
    // Refused, or nobody is left who knows its id.
    if (version === undefined || wasLost) return end();
    phase = 'ready';
    rest();
  }

  function close(stream: KeptStream): void {
    if (stream.phase !== 'open') return;
    stream.phase = 'done';
    detach(stream)?.end();
    stream.ticket = lines.old.add(stream);
  }

  /** A request that was cancelled is never answered. */
  function drop(requestId: unknown): void {
    const stream = isRequestId(requestId) ? requests.get(requestId) : undefined;
    // By the specification `initialize` cannot be.
    if (stream?.request === undefined || stream.number === OPENING) return;
    requests.delete(stream.request);
    if (stream.phase === 'waiting') {
      const out = detach(stream);
      stream.phase = 'lost';
      out?.openStream();
      out?.end();
    } else close(stream);
    rest();
  }

  function end(): void {
    if (phase === 'ended') return;
    phase = 'ended';
    session.onClose();
    for (const stream of [...requests.values(), unsolicited]) {
      if (stream.request !== undefined) requests.delete(stream.request);
      const out = detach(stream);
      if (stream.phase === 'waiting')
        out?.answer(404, JSON_TYPE, goneReply(stream.request ?? null));
      else out?.end();
      stream.phase = 'done';
    }
    log.clear((stream) => lines.old.remove(stream.ticket));
    options.onEnd();
  }

  const sessionHeader = ['mcp-session-id', id];
  return {
    id,
    caller,
    ask(message, out) {
      if (phase === 'ended') return SESSION_NOT_FOUND;
      if (requests.get(message.id)) return DUPLICATE;
      if (phase === 'new') {
        phase = 'opening';
        version = knownVersion(message.params?.['protocolVersion']);
      }
      streamsMade += 1;
      const stream = createStream(owner, streamsMade, message.id);
      attach(stream, out);
      requests.add(message.id, stream);
      if (lines.slow) stream.ticket = lines.slow.add(stream);
      else begin(stream);
      rest();
      session.receive(message);
      return undefined;
    },
    tell(message) {
      session.receive(message);
      if (message.is === 'notification' && message.method === 'notifications/cancelled') {
        drop(message.params?.['requestId']);
      }
    },
    listen(out) {
      if (unsolicited.out) return SECOND_STREAM;
      const from = Math.max(unsolicited.given, unsolicited.cut);
      attach(unsolicited, out);
      open(unsolicited, from);
      const waiting = eventsAfter(unsolicited, from) ?? [];
      if (waiting.length > 0) write(unsolicited, waiting.join(''));
      rest();
      return undefined;
    },
    resume(lastEventId, out) {
      const from = readEventId(lastEventId);
      const stream = from && log.find(from.stream);
      const missed = stream && eventsAfter(stream, from.event);
      if (!missed) return UNKNOWN_EVENT;
      // Whoever comes back has left: the old connection may only look alive.
      detach(stream)?.cut();
      attach(stream, out);
      open(stream, from.event);
      if (missed.length > 0) write(stream, missed.join(''));
      if (stream.phase === 'done') dismiss(stream);
      rest();
      return undefined;
    },
    shed: () => log.shed(),
    async drain() {
      dismiss(unsolicited);
      await session.drain();
      end();
    },
    end,
  };
}

function knownVersion(asked: unknown): string | undefined {
  return typeof asked === 'string' && LEGACY_VERSIONS.includes(asked) ? asked : undefined;
}

function goneReply(request: RequestId | null): string {
  const { code, message } = SESSION_NOT_FOUND;
  return errorReply(request, code, message, { error_class: SESSION_NOT_FOUND.class });
}

const DUPLICATE = badRequest(
  'This "id" belongs to a request of the session that is still running. Give each request its own.',
  -32_600,
);

const SECOND_STREAM: Refusal = {
  status: 409,
  code: -32_000,
  message: 'The session has its one stream open already. Close that first, or send Last-Event-ID.',
  class: 'conflict',
};

const UNKNOWN_EVENT = badRequest(
  'Last-Event-ID is no event of this session, or what followed it is no longer kept. Send the request again.',
);
