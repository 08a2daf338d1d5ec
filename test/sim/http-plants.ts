import { argsDigest } from '#calls/resolve-call.ts';
import {
  createStateSeal,
  type RoundState,
  type StateOwner,
} from '../../src/calls/request-state.ts';
import type { CallRequest } from '#core/calls/calls.ts';
import type { HttpContext } from '#transport/http/http-context.ts';
import type { McpSink } from '#transport/mcp/mcp-sink.ts';
import { CONSENT } from './book.ts';
import type { SimExchange } from './http-wire.ts';
import { EPOCH_MS } from './sim-process.ts';
import type { Plants } from './plants.ts';
import { STATE_KEY } from './state-key.ts';

/** The same exchange, but for some of what it does. */
function changed(exchange: SimExchange, change: Partial<HttpContext>): SimExchange {
  return Object.create(exchange, Object.getOwnPropertyDescriptors(change)) as SimExchange;
}

const headersOf = ({ request }: HttpContext) => request.headers;
const isResuming = (exchange: HttpContext) => headersOf(exchange)['last-event-id'] !== undefined;
const isMethod = ({ request }: HttpContext, method: string) => request.method === method;

/** Nobody is told that the connection is over. */
function deafExchange(exchange: SimExchange): SimExchange {
  return changed(exchange, {
    get onClose() {
      return undefined;
    },
    set onClose(_listener) {
      // Nobody will call it.
    },
  });
}

/** A state with the owner that the call would need. */
function resealed({ caller, tool, args }: CallRequest, state: NewState): string {
  const { _request_metadata: _, ...rest } = (args ?? {}) as Record<string, unknown>;
  const name = tool.replace('_EXAI-WS', '');
  const { principal, credential = '' } = caller;
  const owner = { principal, credential, tool: name, argsSha256: argsDigest(rest) };
  const { answers, asked, reqId } = state;
  return SEAL.close(owner, { answers, asked, reqId });
}

type NewState = Omit<RoundState, 'askedAt'>;

const SEAL = createStateSeal(STATE_KEY, {
  now: () => EPOCH_MS,
  monotonic: () => 0,
  after: () => ({ stop: () => undefined }),
});

/** What a state says, whoever it was given to; nothing when it was changed. */
function readState(state: string): (StateOwner & RoundState) | undefined {
  try {
    const body = Buffer.from(state.split('.')[0] ?? '', 'base64url').toString();
    const owner = JSON.parse(body) as StateOwner;
    return { ...owner, ...SEAL.open(owner, state) };
  } catch {
    // It was tampered with, and is for the real thing to refuse.
    return undefined;
  }
}

function withRequests(change: (request: CallRequest) => CallRequest): Plants {
  return { calls: (calls) => ({ ...calls, start: (request) => calls.start(change(request)) }) };
}

export const HTTP_PLANTS = {
  /** An event that was not kept: who comes back misses the first of what it missed. */
  'unkept-event': (): Plants => ({
    exchange(exchange) {
      if (!isResuming(exchange)) return exchange;
      return changed(exchange, {
        write: (text) => exchange.write(text.replace(/event: message\n.*\n.*\n\n/, '')),
      });
    },
  }),
  /** Who comes back is given the last event that it saw once more. */
  'repeated-event': (): Plants => ({
    exchange(exchange) {
      const last = headersOf(exchange)['last-event-id'];
      const [stream, event] = String(last).split('-').map(Number);
      if (!event) return exchange;
      const headers = { ...headersOf(exchange), 'last-event-id': `${stream}-${event - 1}` };
      return changed(exchange, {
        request: Object.create(exchange.request, { headers: { value: headers } }) as never,
      });
    },
  }),
  /** What is said during a request goes to the stream of what belongs to none. */
  'wrong-stream': (): Plants => ({
    line: (line, { era }) =>
      era === 'modern' ? line : { ...line, send: (text: string) => line.send(text) },
  }),
  /** The answer to a request goes to the stream of another one. */
  'crossed-answers': (): Plants => ({
    line(line, { era }) {
      if (era === 'modern') return line;
      const asked: unknown[] = [];
      const isClear: McpSink['isClear'] = (about) => {
        if (about !== undefined) asked.push(about);
        return line.isClear(about);
      };
      return {
        ...line,
        isClear,
        reply(id, text, status) {
          const other = asked.find((one) => one !== id);
          line.reply((other as typeof id) ?? id, text, status);
        },
      };
    },
  }),
  /** What is said in a session is told to the one that was opened before it, too. */
  'wrong-session': (): Plants => {
    let before: McpSink | undefined;
    return {
      line(line, { era }) {
        if (era === 'modern') return line;
        const other = before;
        before = line;
        return {
          ...line,
          send: (text, about) => {
            other?.send(text);
            line.send(text, about);
          },
        };
      },
    };
  },
  /** A session is found by whoever knows its id. */
  'open-session': (): Plants => ({
    authenticator: (authenticator) => ({
      isCredentialValid: (caller) => authenticator.isCredentialValid(caller),
      async authenticate(arrival) {
        const { credential: _, ...caller } = await authenticator.authenticate(arrival);
        return { ...caller, principal: 'local' };
      },
    }),
  }),
  /** That somebody who listened has gone is not noticed. */
  'kept-slot': (): Plants => ({
    exchange: (exchange) => (isMethod(exchange, 'GET') ? deafExchange(exchange) : exchange),
  }),
  /** Sessions that nobody uses stay for ever. */
  'kept-session': (): Plants => ({
    httpClock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, then) => ([800, 3000, 30_000].includes(ms) ? NEVER : clock.after(ms, then)),
      get waiting() {
        return clock.waiting;
      },
    }),
  }),
  /** A request of the stateless era goes on though its connection is gone. */
  'deaf-post': (): Plants => ({
    exchange: (exchange) => (exchange.mark === undefined ? exchange : deafExchange(exchange)),
  }),
  /** A state is good for any call. */
  'unbound-state': (): Plants =>
    withRequests((request) => {
      const state = request.state === undefined ? undefined : readState(request.state);
      if (!state) return request;
      return { ...request, state: resealed(request, state) };
    }),
  /** A yes counts though nobody asked for it. */
  'forged-consent': (): Plants => {
    let forged = 0;
    return withRequests((request) => {
      if (request.state !== undefined || !request.answers?.[CONSENT]) return request;
      const state = { answers: {}, asked: [CONSENT], reqId: `req_forged_${++forged}` };
      return { ...request, state: resealed(request, state) };
    });
  },
  /** A yes counts as often as it is said. */
  'lasting-yes': (): Plants => {
    let times = 0;
    return withRequests((request) => {
      const state = request.state === undefined ? undefined : readState(request.state);
      if (!state) return request;
      return { ...request, state: SEAL.close(state, { ...state, reqId: `req_${++times}` }) };
    });
  },
  /** Of two rounds, the first is forgotten. */
  'forgotten-round': (): Plants =>
    withRequests((request) => {
      const state = request.state === undefined ? undefined : readState(request.state);
      if (!state) return request;
      return { ...request, state: SEAL.close(state, { ...state, answers: {} }) };
    }),
  /** Answers of two clients are mixed up. */
  'mixed-answers': (): Plants => {
    let last: CallRequest['answers'];
    return withRequests((request) => {
      if (!request.answers) return request;
      const answers = Object.fromEntries(
        Object.entries(request.answers).map(([name, answer]) => [name, last?.[name] ?? answer]),
      );
      last = { ...last, ...request.answers };
      return { ...request, answers };
    });
  },
} as const satisfies Record<string, () => Plants>;

const NEVER = { stop: () => undefined };
