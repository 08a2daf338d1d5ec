import { createTransientMap } from '#core/transient-map.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import { INVALID_REQUEST, isRequestId, type RequestId } from '#mcp/json-rpc.ts';
import { LEGACY_VERSIONS, negotiatedVersion } from '#mcp/protocol-versions.ts';
import type { RpcNotification, RpcRequest, RpcResponse } from '#mcp/read-message.ts';
import type { ResponseSink } from '../http/http-context.ts';
import type { McpSink } from '../mcp/mcp-sink.ts';
import {
  badRequest,
  daemonStopped,
  NO_SUCH_SESSION,
  SESSION_ENDED,
  TOKEN_REVOKED,
  unansweredReply,
  type McpRefusal,
} from './refusal.ts';
import type { EventStoreBudget, ResumableStream, StreamTimeoutQueues } from './resumable-stream.ts';
import type { OpenMcp } from './open-mcp.ts';
import { createLegacyStreams } from './legacy-streams.ts';

interface LegacyOptions {
  readonly id: string;
  readonly caller: Caller;
  readonly openMcp: OpenMcp;
  readonly timeouts: StreamTimeoutQueues;
  readonly budget: EventStoreBudget;
  readonly isCredentialValid: (caller: Caller) => boolean;
  /** `idle`: no request runs and no stream is open. */
  readonly onActivity: (state: 'idle' | 'busy') => void;
  readonly onEnd: () => void;
}

/** One session of Streamable HTTP up to revision 2025-11-25. A refused message changes nothing. */
export interface LegacySession {
  readonly id: string;
  readonly caller: Caller;
  /** Handles a request; the answer goes to `out`, as JSON or as a stream. */
  handleRequest(message: RpcRequest, out: ResponseSink): McpRefusal | undefined;
  handleMessage(message: RpcNotification | RpcResponse): void;
  /** Opens the stream of unsolicited messages. */
  listen(out: ResponseSink): McpRefusal | undefined;
  /** Resumes the stream of this event after it. */
  resume(lastEventId: string, out: ResponseSink): McpRefusal | undefined;
  /** Drops stored events, to free memory for other sessions. */
  shed(): void;
  /** Lets running requests finish, then ends. */
  drain(): Promise<void>;
  /** Cancels running requests and answers them with this error. */
  end(error: CallError): void;
}

/** Since this revision clients accept events without data, and resume a stream that ends early. */
const SINCE_POLLING = '2025-11-25';
/** Number of the stream that answers `initialize`. */
const OPENING = 1;
const EXPECTED_REQUESTS = 16;

export const STOPPED = daemonStopped('send initialize, then the request again');

export function createLegacySession(options: LegacyOptions): LegacySession {
  const { id, caller } = options;
  const sessionHeader = ['mcp-session-id', id];
  /** Streams of unanswered requests. */
  const requests = createTransientMap<RequestId, ResumableStream>(EXPECTED_REQUESTS);
  let version: string | undefined;
  let phase: 'new' | 'opening' | 'ready' | 'ended' = 'new';
  let wasIdle = true;

  const streams = createLegacyStreams({
    timeouts: options.timeouts,
    budget: options.budget,
    isPolled: () => version !== undefined && version >= SINCE_POLLING,
    headersOf: (stream) => (isOpening(stream) ? sessionHeader : undefined),
    checkCredential,
    onChange: updateActivity,
  });
  const sink: McpSink = {
    send(text, relatedTo) {
      if (relatedTo !== undefined) {
        const stream = requests.get(relatedTo);
        if (stream) streams.send(stream, text);
      } else if (checkCredential()) streams.send(streams.unsolicited, text);
    },
    reply(id, text, status = 200) {
      const stream = requests.delete(id);
      if (stream) answer(stream, text, status);
    },
    isClear: (relatedTo) =>
      streams.isClear(relatedTo === undefined ? streams.unsolicited : requests.get(relatedTo)),
    close: () => end(SESSION_ENDED),
  };
  const session = options.openMcp(sink, { caller, session: id, transport: 'http', era: 'legacy' });

  function checkCredential(): boolean {
    if (options.isCredentialValid(caller)) return true;
    end(TOKEN_REVOKED);
    return false;
  }

  function isOpening({ number }: ResumableStream): boolean {
    return phase === 'opening' && number === OPENING;
  }

  function updateActivity(): void {
    const isIdle = requests.size === 0 && streams.readers === 0;
    if (isIdle === wasIdle || phase === 'ended') return;
    wasIdle = isIdle;
    options.onActivity(isIdle ? 'idle' : 'busy');
  }

  function answer(stream: ResumableStream, text: string, status: number): void {
    if (!isOpening(stream)) {
      streams.finish(stream, text, status);
      return updateActivity();
    }
    version = negotiatedVersion(text);
    const wasLost = stream.phase === 'lost';
    streams.finish(stream, text, status, version === undefined ? undefined : sessionHeader);
    // Refused, or the client left before it got the session id.
    if (version === undefined || wasLost) return end(SESSION_ENDED);
    phase = 'ready';
    updateActivity();
  }

  /** Drops a cancelled request without an answer. */
  function drop(requestId: unknown): void {
    const stream = isRequestId(requestId) ? requests.get(requestId) : undefined;
    // By the specification `initialize` cannot be cancelled.
    if (stream?.request === undefined || stream.number === OPENING) return;
    requests.delete(stream.request);
    streams.drop(stream);
    updateActivity();
  }

  function end(error: CallError): void {
    if (phase === 'ended') return;
    phase = 'ended';
    session.onClose();
    for (const stream of requests.values()) {
      if (stream.request === undefined) continue;
      requests.delete(stream.request);
      // Status 200 like every answer of a session: the error is in the body.
      streams.finish(stream, unansweredReply(stream.request, error), 200);
    }
    streams.end();
    options.onEnd();
  }

  return {
    id,
    caller,
    handleRequest(message, out) {
      if (phase === 'ended') return NO_SUCH_SESSION;
      if (requests.get(message.id)) return DUPLICATE;
      if (phase === 'new') {
        phase = 'opening';
        version = knownVersion(message.params?.['protocolVersion']);
      }
      requests.add(message.id, streams.open(message.id, out));
      updateActivity();
      session.receive(message);
      return undefined;
    },
    handleMessage(message) {
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
      // The client cannot answer input requests any more, since no new request is accepted.
      await session.drain('one_way');
      end(STOPPED);
    },
    end,
  };
}

function knownVersion(requested: unknown): string | undefined {
  return typeof requested === 'string' && LEGACY_VERSIONS.includes(requested)
    ? requested
    : undefined;
}

const DUPLICATE = badRequest(
  'This "id" belongs to a request of the session that is still running. Give each request its own.',
  INVALID_REQUEST,
);
