import type { CallRequest } from '#core/calls/calls.ts';
import type { HttpContext } from '#transport/http/http-context.ts';
import type { SimExchange } from './http-wire.ts';
import type { SimClock } from './sim-process.ts';
import type { Plants } from './plants.ts';

/** Every so often, from the first on. */
function now(every: number): () => boolean {
  let count = 0;
  return () => count++ % every === 0;
}

/** The same exchange, but for some of what it does. */
function changed(exchange: SimExchange, change: Partial<HttpContext>): SimExchange {
  const closing: Pick<HttpContext, 'onClose'> = {
    get onClose() {
      return exchange.onClose;
    },
    set onClose(listener) {
      exchange.onClose = listener;
    },
  };
  return Object.create(exchange, {
    ...Object.getOwnPropertyDescriptors(closing),
    ...Object.getOwnPropertyDescriptors(change),
  }) as SimExchange;
}

/** The last words of a stream are others. */
function ending(change: (last: string) => string): Plants {
  return {
    chatExchange: (exchange) =>
      changed(exchange, { end: (last = '') => exchange.end(change(last)) }),
  };
}

function writing(pass: (text: string, write: (text: string) => void) => void): Plants {
  return {
    chatExchange: (exchange) =>
      changed(exchange, { write: (text) => pass(text, (written) => exchange.write(written)) }),
  };
}

function timing(change: (clock: SimClock) => SimClock['after']): Plants {
  return {
    gatewayClock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: change(clock),
      get waiting() {
        return clock.waiting;
      },
    }),
  };
}

function telling(change: (step: Step) => Step): Plants {
  return {
    calls: (calls) => ({
      ...calls,
      start(request) {
        if (request.kind !== 'operation' || !request.onProgress) return calls.start(request);
        const onProgress = (step: Step) => request.onProgress?.(change(step));
        return calls.start({ ...request, onProgress });
      },
    }),
  };
}

type Step = Parameters<NonNullable<CallRequest['onProgress']>>[0];

const GOOD_END = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
const DONE = 'data: [DONE]\n\n';
const NEVER = { stop: () => undefined };

export const GATEWAY_PLANTS = {
  /** A stream simply stops. */
  'silent-end': (): Plants => ending(() => ''),
  /** A failure looks like a good end. */
  'false-end': (): Plants =>
    ending((last) => {
      if (!last.includes('"error"')) return last;
      return last + (last.includes('event: ') ? GOOD_END : DONE);
    }),
  'piece-twice': (): Plants => {
    const isNow = now(5);
    return writing((text, write) => {
      write(text);
      if (isNow()) write(text);
    });
  },
  'piece-lost': (): Plants => {
    const isNow = now(5);
    return writing((text, write) => void (isNow() || write(text)));
  },
  /** That somebody hung up is not noticed. */
  'deaf-chat': (): Plants => ({
    chatExchange: (exchange) =>
      changed(exchange, {
        get onClose() {
          return undefined;
        },
        set onClose(_listener) {
          // Nobody will call it.
        },
      }),
  }),
  /** The head of a stream goes out before anybody has said a word. */
  'eager-head': (): Plants => ({ headHoldMs: () => 0 }),
  'stubborn-head': (): Plants => ({ headHoldMs: (ms) => 3 * ms + 100 }),
  /** Who waits for the next word hears nothing. */
  'no-sign-of-life': (): Plants =>
    timing((clock) => (ms, then) => ([80, 700].includes(ms) ? NEVER : clock.after(ms, then))),
  /** A timer that its owner stopped stays. */
  'left-chat-timer': (): Plants =>
    timing((clock) => (ms, then) => {
      clock.after(ms, then);
      return NEVER;
    }),
  /** Keys that nobody gave out are as good as others. */
  'any-key': (): Plants => ({
    gatewayDoorman: (authenticator) => ({
      isCredentialValid: (caller) => authenticator.isCredentialValid(caller),
      authenticate: (arrival) =>
        authenticator
          .authenticate(arrival)
          .catch(() => ({ principal: 'local', scopes: ['*'], roots: [] })),
    }),
  }),
  /** Who lost its key reads on. */
  'lasting-key': (): Plants => ({
    gatewayDoorman: (authenticator) => ({
      isCredentialValid: () => true,
      authenticate: (arrival) => authenticator.authenticate(arrival),
    }),
  }),
  /** Of several answers, all are told as the first. */
  'mixed-choices': (): Plants => telling((step) => ({ ...step, choice: 0 })),
  /** The rest of a call's arguments is that of another call. */
  'foreign-arguments': (): Plants => {
    let last: string | undefined;
    return telling((step) => {
      if (step.piece?.type !== 'tool_call' || step.piece.arguments === '') return step;
      const before = last;
      last = step.piece.arguments;
      return { ...step, piece: { ...step.piece, arguments: before ?? last } };
    });
  },
  /** Another goes on whether its reader wants it or not. */
  'unwanted-seam': (): Plants => ({
    manager: (manager) => ({
      ...manager,
      ask: (request, by, listener) =>
        manager.ask({ ...request, onInterruption: 'continue' }, by, listener),
    }),
  }),
} as const satisfies Record<string, () => Plants>;
