import type { Caller } from '#core/calls/call.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Authenticator } from '#core/auth/authenticator.ts';
import { SESSION_NOT_FOUND, type RequestId } from '#mcp/json-rpc.ts';
import type { Endpoint } from '../http/endpoint-dispatcher.ts';
import type { HttpContext, ResponseSink } from '../http/http-context.ts';
import { accepts } from '../http/media-type.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { requestUrl } from '../http/request-checks.ts';
import type { McpSink, McpSession } from '../mcp/mcp-sink.ts';
import { createTimeoutQueue, type QueuedTimeout } from '../streamable/timeout-queue.ts';
import {
  badRequest,
  daemonStopped,
  fromCallError,
  sendRefusal,
  unansweredReply,
  type McpRefusal,
} from '../streamable/refusal.ts';
import { KEEPALIVE, plainFrame } from '../streamable/sse-frames.ts';
import {
  authenticateRequest,
  overCapacity,
  receiveMessage,
  SESSION_LIMIT_REACHED,
} from '../streamable/request.ts';
import { isSameCaller, type OpenMcp } from '../streamable/open-mcp.ts';
import {
  createStallDetector,
  HIGH_WATER_BYTES,
  isStalled,
  MAX_BUFFERED_BYTES,
  type StallDetector,
} from '../streamable/backpressure.ts';

interface SseOptions {
  readonly openMcp: OpenMcp;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly isCredentialValid: (caller: Caller) => boolean;
  readonly clock: Clock;
  readonly limits: BodyLimits;
  readonly isDraining: () => boolean;
  /** Acquires a place for a session; false if there is no room. */
  readonly acquirePlace: (caller: Caller) => boolean;
  readonly releasePlace: (caller: Caller) => void;
  readonly newSession: () => string;
  readonly sseKeepaliveMs: number;
}

interface SseEndpoints {
  readonly endpoints: readonly Endpoint[];
  /** Number of open sessions. */
  readonly size: number;
  drain(): Promise<void>;
  end(): void;
}

/**
 * A session of the HTTP+SSE transport: one stream for all messages, and it ends with that stream.
 */
interface SseSession {
  readonly id: string;
  readonly caller: Caller;
  readonly out: ResponseSink;
  readonly mcp: McpSession;
  /** Ids of unanswered requests. */
  readonly pending: Set<RequestId>;
  keepalive: QueuedTimeout<SseSession> | undefined;
  readonly stall: StallDetector;
}

const EVENTS_TYPE = 'text/event-stream';
const MESSAGES = '/messages';
const STOPPED = daemonStopped('open GET /sse again, then send the request again');

/**
 * The HTTP+SSE transport of revision 2024-11-05: GET /sse opens the stream, POST /messages sends a
 * message.
 */
export function createSseEndpoints(options: SseOptions): SseEndpoints {
  const { authenticator, limits } = options;
  const sessions = new Map<string, SseSession>();
  const keepalive = createTimeoutQueue<SseSession>(
    options.clock,
    options.sseKeepaliveMs,
    (session) => {
      if (!options.isCredentialValid(session.caller) || isStalled(session.out, session.stall)) {
        return giveUp(session);
      }
      if (session.out.bufferedBytes < HIGH_WATER_BYTES) session.out.write(KEEPALIVE);
      session.keepalive = keepalive.add(session);
    },
  );

  function listen(context: HttpContext, caller: Caller): void {
    if (!accepts(context.request.headers.accept, EVENTS_TYPE))
      return sendRefusal(context, NO_EVENTS);
    if (options.isDraining()) {
      return sendRefusal(context, fromCallError(overCapacity('The daemon is stopping.')));
    }
    if (!options.acquirePlace(caller))
      return sendRefusal(context, fromCallError(overCapacity(SESSION_LIMIT_REACHED)));
    const id = options.newSession();
    context.openStream();
    context.write(`event: endpoint\ndata: ${MESSAGES}?sessionId=${id}\n\n`);
    const mcpContext = { caller, session: id, transport: 'http', era: 'legacy' } as const;
    const session: SseSession = {
      id,
      caller,
      out: context,
      mcp: options.openMcp(
        sinkTo(() => session),
        mcpContext,
      ),
      pending: new Set(),
      keepalive: undefined,
      stall: createStallDetector(),
    };
    session.keepalive = keepalive.add(session);
    sessions.set(id, session);
    context.onClose = () => forget(session);
  }

  function forget(session: SseSession): void {
    if (!sessions.delete(session.id)) return;
    keepalive.remove(session.keepalive);
    options.releasePlace(session.caller);
    session.mcp.onClose();
  }

  /** Disconnects a client that does not read, or whose credential has expired. */
  function giveUp(session: SseSession): void {
    forget(session);
    session.out.destroy();
  }

  function sinkTo(of: () => SseSession): McpSink {
    const write = (text: string) => {
      const session = of();
      if (session.out.bufferedBytes > MAX_BUFFERED_BYTES) giveUp(session);
      else session.out.write(plainFrame(text));
    };
    return {
      send: (text) => write(text),
      reply(id, text) {
        of().pending.delete(id);
        write(text);
      },
      isClear: () => of().out.bufferedBytes < HIGH_WATER_BYTES,
      close() {
        forget(of());
        of().out.end();
      },
    };
  }

  function post(context: HttpContext, caller: Caller): void {
    const id = requestUrl(context.request)?.searchParams.get('sessionId');
    const session = sessions.get(id ?? '');
    if (!session || !isSameCaller(session.caller, caller)) {
      return sendRefusal(context, id === null ? NO_SESSION : GONE);
    }
    receiveMessage(context, caller, limits, (message) => {
      if (message.is === 'request' && options.isDraining()) {
        return sendRefusal(
          context,
          fromCallError(overCapacity('The daemon is stopping.')),
          message.id,
        );
      }
      if (sessions.get(id ?? '') !== session) return sendRefusal(context, GONE);
      context.answer(202, 'text/plain', 'Accepted');
      if (message.is === 'request') session.pending.add(message.id);
      else if (message.is === 'notification' && message.method === 'notifications/cancelled') {
        session.pending.delete(message.params?.['requestId'] as RequestId);
      }
      session.mcp.receive(message);
    });
  }

  return {
    get size() {
      return sessions.size;
    },
    endpoints: [
      endpoint('/sse', 'GET', (context) => authenticateRequest(context, authenticator, listen)),
      endpoint(MESSAGES, 'POST', (context) => authenticateRequest(context, authenticator, post)),
    ],
    async drain() {
      await Promise.all(
        [...sessions.values()].map(async (session) => {
          await session.mcp.drain('one_way');
          forget(session);
          session.out.end();
        }),
      );
    },
    end() {
      for (const session of sessions.values()) {
        forget(session);
        for (const id of session.pending)
          session.out.write(plainFrame(unansweredReply(id, STOPPED)));
        session.out.end();
      }
      keepalive.clear();
    },
  };
}

function endpoint(path: string, method: string, handle: Endpoint['handle']): Endpoint {
  const wrongMethod: McpRefusal = {
    ...badRequest(`${path} answers ${method} only.`, undefined, 405),
    headers: ['allow', `${method}, OPTIONS`],
  };
  return {
    path,
    handle(context) {
      if (context.request.method === method) handle(context);
      else sendRefusal(context, wrongMethod);
    },
    refuse: (context, error) => sendRefusal(context, fromCallError(error)),
  };
}

const NO_EVENTS = badRequest(
  `Not acceptable: this is a stream of events. Send the header "Accept: ${EVENTS_TYPE}".`,
  undefined,
  406,
);

const NO_SESSION = badRequest('The query lacks sessionId. Use the address that GET /sse gave.');

const GONE: McpRefusal = {
  status: 404,
  code: SESSION_NOT_FOUND,
  message: 'Session not found: its stream has ended or never was. Open GET /sse again.',
  class: 'not_found',
};
