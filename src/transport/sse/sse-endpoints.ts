import type { Caller } from '#core/call.ts';
import type { Clock } from '#core/clock.ts';
import type { Doorman } from '#core/doorman.ts';
import { SESSION_NOT_FOUND, type RequestId } from '#mcp/json-rpc.ts';
import type { Endpoint, Exchange, Out } from '../http/endpoint.ts';
import { accepts } from '../http/media-type.ts';
import type { BodyLimits } from '../http/read-body.ts';
import { targetOf } from '../http/request-target.ts';
import type { McpLine, McpSession } from '../mcp/mcp-line.ts';
import { createDelayLine, type Ticket } from '../streamable/delay-line.ts';
import { lastWord, stopped } from '../streamable/endings.ts';
import { KEEPALIVE, plainFrame } from '../streamable/events.ts';
import { admit, full, receive, SESSIONS_TAKEN } from '../streamable/gate.ts';
import type { OpenMcp } from '../streamable/http-about.ts';
import { badRequest, fromCallError, refuse, type Refusal } from '../streamable/refusal.ts';
import { isSameCaller } from '../streamable/same-caller.ts';
import {
  createPulse,
  HIGH_WATER,
  isStalled,
  MAX_UNREAD,
  type Pulse,
} from '../streamable/unread.ts';

interface SseOptions {
  readonly openMcp: OpenMcp;
  readonly doorman: Pick<Doorman, 'identify'>;
  readonly isGood: (caller: Caller) => boolean;
  readonly clock: Clock;
  readonly limits: BodyLimits;
  readonly isDraining: () => boolean;
  /** Takes a place for a session: whether there was room. */
  readonly takePlace: (caller: Caller) => boolean;
  readonly givePlace: (caller: Caller) => void;
  readonly newSession: () => string;
  readonly sseKeepaliveMs: number;
}

interface SseEndpoints {
  readonly endpoints: readonly Endpoint[];
  /** Sessions that are open. */
  readonly size: number;
  drain(): Promise<void>;
  end(): void;
}

/** A session of the transport of 2024: one stream for all that is said, and it lives as long as that. */
interface SseSession {
  readonly id: string;
  readonly caller: Caller;
  readonly out: Out;
  readonly mcp: McpSession;
  /** The requests that have no answer yet. */
  readonly asked: Set<RequestId>;
  keepalive: Ticket<SseSession> | undefined;
  readonly pulse: Pulse;
}

const EVENTS_TYPE = 'text/event-stream';
const MESSAGES = '/messages';
const STOPPED = stopped('open GET /sse again, then send the request again');

/** The transport of revision 2024-11-05, for clients that know no other: GET /sse listens, POST /messages says. */
export function createSseEndpoints(options: SseOptions): SseEndpoints {
  const { doorman, limits } = options;
  const sessions = new Map<string, SseSession>();
  const keepalive = createDelayLine<SseSession>(
    options.clock,
    options.sseKeepaliveMs,
    (session) => {
      if (!options.isGood(session.caller) || isStalled(session.out, session.pulse)) {
        return giveUp(session);
      }
      if (session.out.unread < HIGH_WATER) session.out.write(KEEPALIVE);
      session.keepalive = keepalive.add(session);
    },
  );

  function listen(exchange: Exchange, caller: Caller): void {
    if (!accepts(exchange.request.headers.accept, EVENTS_TYPE)) return refuse(exchange, NO_EVENTS);
    if (options.isDraining()) {
      return refuse(exchange, fromCallError(full('The daemon is stopping.')));
    }
    if (!options.takePlace(caller)) return refuse(exchange, fromCallError(full(SESSIONS_TAKEN)));
    const id = options.newSession();
    exchange.openStream();
    exchange.write(`event: endpoint\ndata: ${MESSAGES}?sessionId=${id}\n\n`);
    const about = { caller, session: id, door: 'http', era: 'legacy' } as const;
    const session: SseSession = {
      id,
      caller,
      out: exchange,
      mcp: options.openMcp(
        lineTo(() => session),
        about,
      ),
      asked: new Set(),
      keepalive: undefined,
      pulse: createPulse(),
    };
    session.keepalive = keepalive.add(session);
    sessions.set(id, session);
    exchange.onClose = () => forget(session);
  }

  function forget(session: SseSession): void {
    if (!sessions.delete(session.id)) return;
    keepalive.remove(session.keepalive);
    options.givePlace(session.caller);
    session.mcp.onClose();
  }

  /** Whoever is there does not read, or may no longer. */
  function giveUp(session: SseSession): void {
    forget(session);
    session.out.cut();
  }

  function lineTo(of: () => SseSession): McpLine {
    const write = (text: string) => {
      const session = of();
      if (session.out.unread > MAX_UNREAD) giveUp(session);
      else session.out.write(plainFrame(text));
    };
    return {
      send: (text) => write(text),
      reply(id, text) {
        of().asked.delete(id);
        write(text);
      },
      isClear: () => of().out.unread < HIGH_WATER,
      close() {
        forget(of());
        of().out.end();
      },
    };
  }

  function say(exchange: Exchange, caller: Caller): void {
    const id = targetOf(exchange.request)?.searchParams.get('sessionId');
    const session = sessions.get(id ?? '');
    if (!session || !isSameCaller(session.caller, caller)) {
      return refuse(exchange, id === null ? NO_SESSION : GONE);
    }
    receive(exchange, caller, limits, (message) => {
      if (message.is === 'request' && options.isDraining()) {
        return refuse(exchange, fromCallError(full('The daemon is stopping.')), message.id);
      }
      if (sessions.get(id ?? '') !== session) return refuse(exchange, GONE);
      exchange.answer(202, 'text/plain', 'Accepted');
      if (message.is === 'request') session.asked.add(message.id);
      else if (message.is === 'notification' && message.method === 'notifications/cancelled') {
        session.asked.delete(message.params?.['requestId'] as RequestId);
      }
      session.mcp.receive(message);
    });
  }

  return {
    get size() {
      return sessions.size;
    },
    endpoints: [
      endpoint('/sse', 'GET', (exchange) => admit(exchange, doorman, listen)),
      endpoint(MESSAGES, 'POST', (exchange) => admit(exchange, doorman, say)),
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
        for (const id of session.asked) session.out.write(plainFrame(lastWord(id, STOPPED)));
        session.out.end();
      }
      keepalive.clear();
    },
  };
}

function endpoint(path: string, method: string, handle: Endpoint['handle']): Endpoint {
  const wrongMethod: Refusal = {
    ...badRequest(`${path} answers ${method} only.`, undefined, 405),
    headers: ['allow', `${method}, OPTIONS`],
  };
  return {
    path,
    handle(exchange) {
      if (exchange.request.method === method) handle(exchange);
      else refuse(exchange, wrongMethod);
    },
    refuse: (exchange, error) => refuse(exchange, fromCallError(error)),
  };
}

const NO_EVENTS = badRequest(
  `Not acceptable: this is a stream of events. Send the header "Accept: ${EVENTS_TYPE}".`,
  undefined,
  406,
);

const NO_SESSION = badRequest('The query lacks sessionId. Use the address that GET /sse gave.');

const GONE: Refusal = {
  status: 404,
  code: SESSION_NOT_FOUND,
  message: 'Session not found: its stream has ended or never was. Open GET /sse again.',
  class: 'not_found',
};
