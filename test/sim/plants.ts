import type { Manager } from '#core/llm/ask.ts';
import type { Provider } from '#core/llm/provider.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Jobs } from '#core/calls/jobs.ts';
import type { CallStore } from '#core/stores/calls.ts';
import type { ProviderFileStore } from '#core/stores/files.ts';
import type { JobStore } from '#core/stores/jobs.ts';
import type { Store } from '#core/stores/store.ts';
import type { Budgets } from '#manager/budget/budgets.ts';
import type { Breakers } from '#resilience/breaker-types.ts';
import type { Limiter, Permit } from '#resilience/limiter.ts';
import type { SimClock } from './sim-process.ts';
import type { McpSink } from '#transport/mcp/mcp-sink.ts';
import type { McpHttpContext } from '#transport/streamable/open-mcp.ts';
import type { McpHttpOptions } from '#transport/streamable/mcp-http.ts';
import type { GatewayOptions } from '#transport/gateway/gateway.ts';
import { ASK_PLANTS } from './ask-plants.ts';
import { GATEWAY_PLANTS } from './gateway-plants.ts';
import { HTTP_PLANTS } from './http-plants.ts';
import { JOB_PLANTS } from './job-plants.ts';
import { STORE_PLANTS } from './store-plants.ts';
import { UPLOAD_PLANTS } from './upload-plants.ts';
import type { SimExchange } from './http-wire.ts';
import type { SimJobs } from './sim-jobs.ts';
import type { Bound } from './sim-store.ts';
import type { Pace } from './pace.ts';
import type { Sending } from './wire.ts';

export type ManagerStore = Pick<Store, 'breakers' | 'calls' | 'usage' | 'settings' | 'clients'>;

/** Bugs that are put around the real parts to see whether the simulation notices. */
export interface Plants {
  readonly clock?: (clock: SimClock) => SimClock;
  readonly store?: (store: CallStore, clock: SimClock) => CallStore;
  /** How the store waits for the disk. */
  readonly bound?: Bound;
  /** What is known of a store that fails. */
  readonly storeFailure?: 'ignored';
  readonly limiter?: (limiter: Limiter) => Limiter;
  readonly calls?: (calls: Calls) => Calls;
  readonly shimClock?: (clock: SimClock) => SimClock;
  readonly capacity?: (capacity: number) => number;
  /** These are of what asks models. */
  readonly manager?: (manager: Manager) => Manager;
  readonly managerStore?: (store: ManagerStore) => ManagerStore;
  readonly files?: (files: ProviderFileStore) => ProviderFileStore;
  readonly breakers?: (breakers: Breakers, clock: Clock) => Breakers;
  /** Between the breakers and whoever needs their leave. */
  readonly leave?: (breakers: Breakers) => Breakers;
  readonly budgets?: (budgets: Budgets) => Budgets;
  readonly provider?: (provider: Provider) => Provider;
  readonly vendorCapacity?: (capacity: number) => number;
  readonly queueMs?: (ms: number | undefined) => number;
  readonly hedgeLeastMs?: number;
  readonly countCall?: (count: () => void) => void;
  readonly keepAlive?: (pace: Pick<Pace, 'alive' | 'spoke'>) => void;
  readonly learn?: (learn: () => void) => void;
  readonly keys?: (keys: readonly string[]) => readonly string[];
  /** These are of jobs. */
  readonly jobStore?: (store: SimJobs, clock: SimClock) => JobStore;
  readonly jobs?: (jobs: Jobs) => Jobs;
  /** These are of the HTTP transport. */
  readonly httpClock?: (clock: SimClock) => SimClock;
  readonly exchange?: (exchange: SimExchange) => SimExchange;
  readonly line?: (line: McpSink, about: McpHttpContext) => McpSink;
  readonly authenticator?: (
    authenticator: McpHttpOptions['authenticator'],
  ) => McpHttpOptions['authenticator'];
  /** These are of the transport for other people's clients. */
  readonly gatewayClock?: (clock: SimClock) => SimClock;
  readonly chatExchange?: (exchange: SimExchange) => SimExchange;
  readonly headHoldMs?: (ms: number) => number;
  readonly gatewayDoorman?: (
    authenticator: GatewayOptions['authenticator'],
  ) => GatewayOptions['authenticator'];
  /** For each connection. */
  readonly sending?: () => Sending;
}

const isAnswer = (text: string) => text.includes('"result":') || text.includes('"call_tool_res"');

/** Every so often, from the first on. */
function now(every: number): () => boolean {
  let count = 0;
  return () => count++ % every === 0;
}

function leakedPermit(): Plants {
  let leaks = 0;
  const leaky = (permit: Permit): Permit => ({
    release() {
      if (leaks === 0) return permit.release();
      leaks -= 1;
    },
  });
  return {
    limiter: (limiter) => ({
      acquire(ticket) {
        const admission = limiter.acquire(ticket);
        return admission.is === 'granted'
          ? { is: 'granted', permit: leaky(admission.permit) }
          : admission;
      },
      inUse: (pool) => limiter.inUse(pool),
      capacityChanged: () => limiter.capacityChanged(),
      get running() {
        return limiter.running;
      },
      get waiting() {
        return limiter.waiting;
      },
    }),
    calls: (calls) => ({
      ...calls,
      start(request) {
        const running = calls.start(request);
        return {
          ...running,
          cancel(error) {
            leaks = 1;
            running.cancel(error);
          },
        };
      },
    }),
  };
}

const SOCKET_PLANTS = {
  /** The slot of a cancelled call is not given back. */
  'leaked-permit': leakedPermit,
  /** A changing call is answered before its record is on disk. */
  'early-answer': (): Plants => ({
    store: (store) => ({
      ...store,
      record(row) {
        void store.record(row).catch(() => undefined);
        return Promise.resolve();
      },
    }),
  }),
  'dropped-answer': (): Plants => {
    const isNow = now(5);
    return { sending: () => (text, send) => void ((isAnswer(text) && isNow()) || send(text)) };
  },
  'doubled-answer': (): Plants => {
    const isNow = now(5);
    return {
      sending: () => (text, send) => {
        send(text);
        if (isAnswer(text) && isNow()) send(text);
      },
    };
  },
  'wide-limiter': (): Plants => ({ capacity: (capacity) => capacity + 1 }),
  /** A timer that its owner stopped stays. */
  'left-timer': (): Plants => ({
    clock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, then) => {
        let isStopped = false;
        clock.after(ms, () => isStopped || then());
        return { stop: () => void (isStopped = true) };
      },
      get waiting() {
        return clock.waiting;
      },
    }),
  }),
  /** The client hears that its call is cancelled, the work does not. */
  'deaf-cancel': (): Plants => ({
    calls: (calls) => ({
      ...calls,
      start: (request) => ({ ...calls.start(request), cancel: () => undefined }),
    }),
  }),
  /** Calls without a trace in the audit. */
  'lost-note': (): Plants => {
    const isNow = now(4);
    return {
      store: (store) => ({
        ...store,
        recordLazily: (row) => (isNow() ? undefined : store.recordLazily(row)),
      }),
    };
  },
  'doubled-row': (): Plants => {
    const isNow = now(4);
    return {
      store: (store) => ({
        ...store,
        recordLazily(row) {
          if (isNow()) void store.recordLazily(row);
          return store.recordLazily(row);
        },
      }),
    };
  },
  /** Nobody looks at the time. */
  'no-deadline': (): Plants => ({
    clock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, then) => (ms >= 500 && ms < 5000 ? { stop() {} } : clock.after(ms, then)),
      get waiting() {
        return clock.waiting;
      },
    }),
  }),
  /** Nobody asks whether a token is still good. */
  'blind-authenticator': (): Plants => ({
    calls: (calls) => ({
      ...calls,
      start(request) {
        const { credential: _, ...caller } = request.caller;
        return calls.start({ ...request, caller });
      },
    }),
  }),
  /** A shim that does not notice that its daemon hangs. */
  'trusting-shim': (): Plants => ({
    shimClock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, then) => (ms === 5000 ? { stop() {} } : clock.after(ms, then)),
      get waiting() {
        return clock.waiting;
      },
    }),
  }),
} as const satisfies Record<string, () => Plants>;

export const PLANTS = {
  ...SOCKET_PLANTS,
  ...HTTP_PLANTS,
  ...ASK_PLANTS,
  ...UPLOAD_PLANTS,
  ...GATEWAY_PLANTS,
  ...JOB_PLANTS,
  ...STORE_PLANTS,
} as const;

export type PlantName = keyof typeof PLANTS;
