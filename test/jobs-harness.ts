import { createCalls } from '#calls/create-calls.ts';
import { createMemoryStore, OWNER } from '#calls/calls.fixture.ts';
import { createAccess } from '#calls/access.ts';
import { createContentRegistry } from '#calls/content-registry.ts';
import { capacityOf, type CallLimits } from '#calls/call-limits.ts';
import { createRegistry, type Registry } from '#calls/registry.ts';
import { createMetadata } from '#calls/request-metadata.ts';
import { createStateSeal } from '#calls/request-state.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { CallResult, CallRequest, RunningCall } from '#core/calls/calls.ts';
import { createIds, type Id } from '#core/ids.ts';
import type { JobStore } from '#core/stores/jobs.ts';
import type { Store } from '#core/stores/store.ts';
import type { Tool } from '#core/tools/tool.ts';
import { createJobEngine, type JobEngine } from '#jobs/job-engine.ts';
import type { JobsOptions } from '#jobs/job-options.ts';
import { createLimiter, type Limiter } from '#resilience/limiter.ts';
import { openStore } from '#store/open-store.ts';
import { createJobsModel } from './cases/jobs-model.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createListLog, type ListLog } from './list-log.ts';
import { REFUSING_MANAGER } from './refusing-manager.ts';
import { makeStoreHome } from './stores.ts';

export { probeTool } from '#calls/calls.fixture.ts';

type Operation = keyof JobStore;

/** A store of jobs that outlives daemons, and fails or takes its time where a test says so. */
export interface FickleJobStore extends JobStore {
  /** What was asked of it, in order. */
  readonly done: Operation[];
  /**
   * The next calls of it fail, as many as told, and change nothing; or `afterwards`, when they have
   * changed something.
   */
  fail(operation: Operation, times: number, when?: 'afterwards'): void;
  /** Calls of it wait from now on, until they are let go. */
  hold(operation: Operation): { readonly letGo: () => void };
}

export function createFickleJobStore(now: () => number): FickleJobStore {
  const model = createJobsModel(now);
  const done: Operation[] = [];
  const failing = new Map<
    Operation,
    { readonly left: number; readonly when: 'afterwards' | undefined }
  >();
  const held = new Map<Operation, Promise<void>>();

  /** One operation, seen from outside: it takes a moment, and shares nothing with what it gave. */
  function outside<Name extends Operation>(name: Name): JobStore[Name] {
    const operate = model[name] as (...args: unknown[]) => unknown;
    const run = async (...args: readonly unknown[]): Promise<unknown> => {
      await held.get(name);
      done.push(name);
      const { left = 0, when } = failing.get(name) ?? {};
      failing.set(name, { left: left - 1, when });
      if (left > 0 && !when) throw new CallError('over_capacity', 'The disk is full.');
      const given = structuredClone(operate(...args.map((arg) => structuredClone(arg))));
      if (left > 0) throw new CallError('network', 'The connection was lost.');
      return given;
    };
    return run as JobStore[Name];
  }

  const cancel = outside('cancel');
  const adopt = outside('adopt');
  return {
    done,
    enqueue: outside('enqueue'),
    async adopt(job, owner, leaseMs) {
      if (model.get(job.id, job.principal)) throw new CallError('conflict', 'It is there already.');
      return adopt(job, owner, leaseMs);
    },
    claim: outside('claim'),
    orphan: outside('orphan'),
    heartbeat: outside('heartbeat'),
    release: outside('release'),
    finish: outside('finish'),
    ask: outside('ask'),
    answer: outside('answer'),
    get: outside('get'),
    list: outside('list'),
    countOpen: outside('countOpen'),
    async cancel(id, principal) {
      if (!model.get(id, principal)) throw new CallError('not_found', `There is no job ${id}.`);
      return cancel(id, principal);
    },
    fail: (operation, left, when) => void failing.set(operation, { left, when }),
    hold(operation) {
      let letGo = () => {};
      held.set(operation, new Promise((resolve) => (letGo = resolve)));
      return {
        letGo() {
          held.delete(operation);
          letGo();
        },
      };
    },
  };
}

/** The part of a daemon that runs calls and jobs. */
export interface JobsDaemon extends JobEngine {
  readonly registry: Registry;
  readonly limiter: Limiter;
  readonly log: ListLog;
  /** With a patience of 45 s unless told. */
  start(tool: string, args?: unknown, more?: Partial<CallRequest>): RunningCall;
  /** Nothing that it does from now on reaches the store. */
  kill(): void;
}

export interface JobsDaemonOptions extends Partial<
  Pick<
    JobsOptions,
    | 'among'
    | 'running'
    | 'timeoutMs'
    | 'keptDays'
    | 'isCredentialValid'
    | 'resolveCaller'
    | 'waiting'
    | 'storeFailure'
  >
> {
  readonly tools: readonly Tool[];
  readonly clock: FakeClock;
  readonly store: JobStore;
  readonly limits?: Partial<CallLimits>;
  readonly maxWaiting?: number;
}

export const INLINE_MS = 45_000;
export const JOB_MS = 3_600_000;

let daemons = 0;

export function startJobsDaemon(options: JobsDaemonOptions): JobsDaemon {
  const { tools, clock, limits, maxWaiting = 10, among = 'alone' } = options;
  const number = ++daemons;
  const log = createListLog();
  const registry = createRegistry({ profile: 'full', enabled: [], disabled: [] });
  registry.put('builtin', tools);
  const all = { global: 24, kimi: 6, glm: 4, session: 8, ...limits };
  const limiter = createLimiter({ capacity: (pool) => capacityOf(pool, all), maxWaiting });
  // Two daemons on one clock make different ids, as two machines do.
  const newId = createIds(clock, (bytes) => new Uint8Array(bytes).fill(number));
  const calls = createCalls({
    registry,
    content: createContentRegistry(),
    access: createAccess({ registry }),
    seal: createStateSeal(new Uint8Array(32), clock),
    pageSize: 1000,
    limiter,
    capacity: all.global,
    retryAfterMs: 1500,
    isCredentialValid: () => true,
    metadata: createMetadata({ timezone: 'Australia/Melbourne', location: '' }, clock),
    store: createMemoryStore(),
    ...(options.storeFailure && { storeFailure: options.storeFailure }),
    manager: REFUSING_MANAGER,
    clock,
    newId,
    log,
    metrics: {
      counter: () => ({ add() {} }),
      histogram: () => ({ observe() {} }),
      gauge() {},
    },
    tracer: {
      span: async (_name, _options, work) =>
        work({ traceId: '0'.repeat(32), traceparent: undefined, set() {} }),
    },
  });
  const { store, kill } = untilKilled(options.store);
  const engine = createJobEngine({
    store,
    calls,
    isCredentialValid: options.isCredentialValid ?? (() => true),
    resolveCaller: options.resolveCaller ?? (async (caller) => caller),
    owner: `daemon ${number}`,
    among,
    inlineWaitMs: INLINE_MS,
    timeoutMs: options.timeoutMs ?? JOB_MS,
    running: options.running ?? 8,
    waiting: options.waiting ?? 100,
    keptDays: options.keptDays ?? 7,
    ...(options.storeFailure && { storeFailure: options.storeFailure }),
    clock,
    newId,
    log,
  });
  return {
    ...engine,
    registry,
    limiter,
    log,
    kill,
    start: (tool, args = {}, more = {}) =>
      engine.calls.start({
        tool,
        args,
        caller: OWNER,
        transport: 'ws',
        session: 's1',
        background: { afterMs: INLINE_MS, as: 'job' },
        ...more,
      }),
  };
}

function untilKilled(store: JobStore): { readonly store: JobStore; readonly kill: () => void } {
  let isAlive = true;
  const guarded = Object.entries(store).map(([name, operate]) => [
    name,
    (...args: unknown[]) =>
      isAlive
        ? (operate as (...given: unknown[]) => Promise<unknown>)(...args)
        : new Promise(() => {}),
  ]);
  return {
    store: Object.fromEntries(guarded) as JobStore,
    kill: () => void (isAlive = false),
  };
}

/** What was set off has run to its end. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets time pass as it does outside: what is set off on the way runs before the rest of it. */
export async function pass(clock: FakeClock, ms: number, stepMs = 1000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left));
    await settled();
  }
}

/** `open` until the answer is there. */
export async function stateOf({ answer }: RunningCall): Promise<'open' | CallResult> {
  let state: 'open' | CallResult = 'open';
  void answer.then((given) => (state = given));
  await settled();
  return state;
}

/** What a call was handed off as. */
export async function jobOf({ answer }: RunningCall): Promise<Id<'job'>> {
  const { envelope, text } = await answer;
  if (!envelope.job) throw new Error(`It is no job: ${text}`);
  // What is in the queue has begun by then, if there is room.
  await settled();
  return envelope.job.id as Id<'job'>;
}

export interface JobsHarness {
  readonly clock: FakeClock;
  readonly store: FickleJobStore;
  /** Another on the same store. */
  readonly daemon: (tools: readonly Tool[], more?: Partial<JobsDaemonOptions>) => JobsDaemon;
}

export function createJobsHarness(): JobsHarness {
  const clock = createFakeClock();
  const store = createFickleJobStore(() => clock.now());
  return {
    clock,
    store,
    daemon: (tools, more = {}) => startJobsDaemon({ tools, clock, store, ...more }),
  };
}

export interface RealJobsHarness {
  readonly clock: FakeClock;
  /** Another after a restart. */
  readonly store: () => Store;
  readonly daemon: (tools: readonly Tool[]) => JobsDaemon;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Over a real SQLite store, whose writes take as long as they take. */
export async function openRealJobsHarness(): Promise<RealJobsHarness> {
  const home = await makeStoreHome('sqlite', '');
  const open = () => openStore({ ...home, writerId: 'writer_jobs' });
  let store = await open();
  return {
    clock: home.clock,
    store: () => store,
    daemon: (tools) => startJobsDaemon({ tools, clock: home.clock, store: store.jobs }),
    async restart() {
      await store.close();
      store = await open();
    },
    async close() {
      await store.close();
      await home.remove();
    },
  };
}
