import { createBriefMap } from '#core/brief-map.ts';
import type { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import { INVALID_REQUEST, isRequestId, type RequestId } from '#mcp/json-rpc.ts';
import { negotiatedVersion } from '#mcp/negotiated-version.ts';
import { LEGACY_VERSIONS } from '#mcp/protocol-versions.ts';
import type { RpcNotification, RpcRequest, RpcResponse } from '#mcp/read-message.ts';
import type { Out } from '../http/endpoint.ts';
import type { McpLine } from '../mcp/mcp-line.ts';
import { lastWord, OVER, REVOKED, stopped } from './endings.ts';
import type { LogBudget } from './event-log.ts';
import type { OpenMcp } from './http-about.ts';
import type { KeptStream } from './kept-stream.ts';
import { createLegacyStreams } from './legacy-streams.ts';
import { badRequest, NO_SUCH_SESSION, type Refusal } from './refusal.ts';
import type { StreamLines } from './stream-lines.ts';

interface LegacyOptions {
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
  /** Cancels what runs, and tells everybody who waits for an answer why there is none. */
  end(why: CallError): void;
}

/** Since this revision clients understand events without data, and come back when a stream ends early. */
const SINCE_POLLING = '2025-11-25';
/** The stream of the answer to `initialize`. */
const OPENING = 1;
const EXPECTED_REQUESTS = 16;

export const STOPPED = stopped('send initialize, then the request again');

export function createLegacySession(options: LegacyOptions): LegacySession {
  const { id, caller } = options;
  const sessionHeader = ['mcp-session-id', id];
  /** Those that have no answer yet. */
  const requests = createBriefMap<RequestId, KeptStream>(EXPECTED_REQUESTS);
  let version: string | undefined;
  let phase: 'new' | 'opening' | 'ready' | 'ended' = 'new';
  let isResting = true;

  const streams = createLegacyStreams({
    lines: options.lines,
    budget: options.budget,
    isPolled: () => version !== undefined && version >= SINCE_POLLING,
    headersOf: (stream) => (isOpening(stream) ? sessionHeader : undefined),
    mayStay,
    onChange: rest,
  });
  const line: McpLine = {
    send(text, about) {
      if (about !== undefined) {
        const stream = requests.get(about);
        if (stream) streams.say(stream, text);
      } else if (mayStay()) streams.say(streams.unsolicited, text);
    },
    reply(about, text, status = 200) {
      const stream = requests.delete(about);
      if (stream) answer(stream, text, status);
    },
    isClear: (about) =>
      streams.isClear(about === undefined ? streams.unsolicited : requests.get(about)),
    close: () => end(OVER),
  };
  const session = options.openMcp(line, { caller, session: id, door: 'http', era: 'legacy' });

  function mayStay(): boolean {
    if (options.isGood(caller)) return true;
    end(REVOKED);
    return false;
  }

  function isOpening({ number }: KeptStream): boolean {
    return phase === 'opening' && number === OPENING;
  }

  function rest(): void {
    const rests = requests.size === 0 && streams.readers === 0;
    if (rests === isResting || phase === 'ended') return;
    isResting = rests;
    options.onRest(rests ? 'idle' : 'busy');
  }

  function answer(stream: KeptStream, text: string, status: number): void {
    if (!isOpening(stream)) {
      streams.finish(stream, text, status);
      return rest();
    }
    version = negotiatedVersion(text);
    const wasLost = stream.phase === 'lost';
    streams.finish(stream, text, status, version === undefined ? undefined : sessionHeader);
    // Refused, or nobody is left who knows its id.
    if (version === undefined || wasLost) return end(OVER);
    phase = 'ready';
    rest();
  }

  /** A request that was cancelled is never answered. */
  function drop(requestId: unknown): void {
    const stream = isRequestId(requestId) ? requests.get(requestId) : undefined;
    // By the specification `initialize` cannot be.
    if (stream?.request === undefined || stream.number === OPENING) return;
    requests.delete(stream.request);
    streams.drop(stream);
    rest();
  }

  function end(why: CallError): void {
    if (phase === 'ended') return;
    phase = 'ended';
    session.onClose();
    for (const stream of requests.values()) {
      if (stream.request === undefined) continue;
      requests.delete(stream.request);
      // As every answer of a session: what went wrong is said in the body.
      streams.finish(stream, lastWord(stream.request, why), 200);
    }
    streams.end();
    options.onEnd();
  }

  return {
    id,
    caller,
    ask(message, out) {
      if (phase === 'ended') return NO_SUCH_SESSION;
      if (requests.get(message.id)) return DUPLICATE;
      if (phase === 'new') {
        phase = 'opening';
        version = knownVersion(message.params?.['protocolVersion']);
      }
      requests.add(message.id, streams.open(message.id, out));
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
    listen: (out) => streams.listen(out),
    resume: (lastEventId, out) => streams.resume(lastEventId, out),
    shed: () => streams.shed(),
    async drain() {
      streams.dismiss(streams.unsolicited);
      // No connection is taken any more by which the client could answer what it is asked.
      await session.drain('one_way');
      end(STOPPED);
    },
    end,
  };
}

function knownVersion(asked: unknown): string | undefined {
  return typeof asked === 'string' && LEGACY_VERSIONS.includes(asked) ? asked : undefined;
}

const DUPLICATE = badRequest(
  'This "id" belongs to a request of the session that is still running. Give each request its own.',
  INVALID_REQUEST,
);
