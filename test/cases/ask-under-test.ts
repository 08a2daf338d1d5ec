import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openManager, type RunningManager } from '#app/manager/open-manager.ts';
import { openUpstreams } from '#app/providers/upstreams.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { Config } from '#config/schema/config.schema.ts';
import type { AskAnswer, AskContext, AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createIds, type Id } from '#core/ids.ts';
import type { Json } from '#core/json/json.ts';
import type { PictureSupply } from '#core/llm/picture-supply.ts';
import type { StreamTimeouts } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import type { RouteExplanation } from '#core/llm/route.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import type { AttemptRecord } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import type { UsageTotal } from '#core/stores/usage.ts';
import { toolFacts } from '#manager/route/tool-sets.ts';
import { openStore } from '#store/open-store.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import type { SeenRequest } from '../../emulator/requests.ts';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { createVendors } from '../../emulator/vendors.ts';
import { createListLog, type ListLog } from '../list-log.ts';
import { withWatchedCitations } from '../watch-citations.ts';
import { withContinuations, type ContinuationStyle } from './ask-continuations.ts';
import { countingClock } from './provider-under-test.ts';

/** Those who can be set up, and the emulator's name of each. */
export const SET_UP = {
  kimi: 'kimi',
  glm: 'glm',
  openrouter: 'openrouter',
  custom: 'ollama',
} as const;
export type SetUp = keyof typeof SET_UP;

const KEYS = {
  kimi: 'sk-asking-0123456789-kimi',
  glm: 'asking0123456789.secret-of-glm',
  openrouter: 'sk-or-asking-0123456789',
} as const;
export const ASK_KEYS: readonly string[] = Object.values(KEYS);

const LONG_MS = 20_000;
const LONG: StreamTimeouts = { firstTokenMs: LONG_MS, idleMs: LONG_MS };
/** So much that nothing is ever refused for it, and set, so that money is set aside at all. */
const RICH = { clientDailyUsd: 1000 };

/** A store in a folder of its own, which goes with it. */
export async function openAskStore(): Promise<{ readonly store: Store; close(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'exai-ask-'));
  const store = await openStore({
    database: '',
    dataDir: join(dir, 'data'),
    backupDir: join(dir, 'backups'),
    writerId: 'writer_asking',
    clock: systemClock,
    log: createListLog(),
  });
  return {
    store,
    async close() {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export interface OwnServer {
  /** The emulator's name of it. */
  readonly name: string;
  readonly model: string;
  /** As its owner believes. */
  readonly contextTokens?: number;
}

const OLLAMA: OwnServer = { name: 'ollama', model: 'qwen3:8b' };

export interface AskHarnessOptions {
  readonly store: Store;
  /** Everybody unless told. */
  readonly providers?: readonly SetUp[];
  /** What the server of one's own is; Ollama unless told. */
  readonly server?: OwnServer;
  /** Sections of the configuration, beside keys and addresses. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Absent: pictures are sent as they are. */
  readonly pictureSupply?: PictureSupply;
}

/** The vendors on loopback, and the providers of a daemon that reach them. */
export interface AskHarness {
  readonly emulator: Emulator;
  /** How models go on with what another said; as they are told to, unless set. */
  manner: ContinuationStyle;
  /** A manager that remembers nothing, before vendors that are as new. */
  manage(options?: ManageOptions): Promise<AskRig>;
  /** Those of the clock that still wait. */
  timers(): number;
  close(): Promise<void>;
}

export interface ManageOptions {
  readonly patience?: StreamTimeouts;
  /** Where outages are remembered; a map of its own unless told. */
  readonly breakers?: BreakerStore;
}

export interface AskOptions {
  readonly tool?: string;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  readonly listener?: AskListener;
}

/** How one question went, with all that was heard of it on the way. */
export interface Asked {
  readonly reqId: Id<'req'>;
  readonly answer?: AskAnswer;
  readonly error?: CallError;
  readonly reports: readonly AskReport[];
  readonly heard: string;
  readonly notes: readonly string[];
}

export interface AskRig extends Pick<
  RunningManager,
  'manager' | 'breakers' | 'budgets' | 'uploads' | 'web'
> {
  readonly crumbs: ListLog;
  readonly log: ListLog;
  /** For a test that wants to speak to the manager itself. */
  by(options?: AskOptions): AskContext;
  ask(request: AskRequest, options?: AskOptions): Promise<Asked>;
  explain(request: AskRequest, options?: AskOptions): Promise<RouteExplanation>;
  /** As they are on disk. */
  attempts(reqId: string): Promise<readonly AttemptRecord[]>;
  usage(): Promise<readonly UsageTotal[]>;
  /** Chats that a vendor received. */
  chats(vendor?: string): readonly SeenRequest[];
  /** What is still held of the questions so far: timers, listeners, money, leave to ask. */
  held(): readonly string[];
  close(): Promise<void>;
}

export async function openAskHarness(options: AskHarnessOptions): Promise<AskHarness> {
  const { store, providers = Object.keys(SET_UP) as SetUp[] } = options;
  let manner: ContinuationStyle = 'exactly';
  const emulator = await startEmulator({
    vendors: withContinuations(createVendors(), () => manner),
  });
  const clock = countingClock(systemClock);
  const log = createListLog();
  const config = Config.parse({
    budget: RICH,
    ...options.settings,
    providers: addresses(emulator.url, providers, options.server ?? OLLAMA),
  });
  const outside = await openUpstreams({
    config,
    settings: store.settings,
    clock,
    random: systemRandom,
    log,
  });
  return {
    emulator,
    get manner() {
      return manner;
    },
    set manner(wanted) {
      manner = wanted;
    },
    async manage({ patience = LONG, breakers = forgetful() } = {}) {
      emulator.reset();
      const crumbs = createListLog();
      const spending = new Set<Promise<void>>();
      const managing = await openManager({
        config: { ...config, timeouts: patience },
        store: { ...store, breakers, calls: noting(store.calls, spending) },
        upstreams: outside,
        clock,
        random: AT_ONCE,
        telemetry: { log, crumbs, metrics: createMetrics() },
        ...(options.pictureSupply && { pictureSupply: options.pictureSupply }),
      });
      const spent = async () => void (await Promise.allSettled(spending));
      return createRig({ managing, crumbs, log, emulator, store, spent, clock });
    },
    timers: () => clock.waiting(),
    async close() {
      await outside.close();
      await emulator.close();
    },
  };
}

/** A call's own record is written after what it spent and is waited for; here nobody writes one. */
function noting(calls: Store['calls'], spending: Set<Promise<void>>): Store['calls'] {
  return {
    ...calls,
    recordUsage(...what) {
      const written = calls.recordUsage(...what);
      spending.add(written);
      return written;
    },
  };
}

interface RigParts {
  readonly managing: RunningManager;
  readonly crumbs: ListLog;
  readonly log: ListLog;
  readonly emulator: Emulator;
  readonly store: Store;
  /** Resolves when all that was spent is on disk. */
  readonly spent: () => Promise<void>;
  readonly clock: ReturnType<typeof countingClock>;
}

const newId = createIds(systemClock, systemRandom);

function createRig({ managing, crumbs, log, emulator, store, spent, clock }: RigParts): AskRig {
  const { breakers, budgets, uploads, web } = managing;
  const manager = withWatchedCitations(managing.manager);
  // Of its own, so that what it used is told apart in a store that others share.
  const principal = newId('client');
  const { signal: shared } = new AbortController();

  function by({
    tool = 'chat',
    deadlineMs = LONG_MS,
    signal = shared,
  }: AskOptions = {}): AskContext {
    let attempts = 0;
    return {
      reqId: newId('req'),
      tool,
      caller: { principal, scopes: ['*'], roots: [] },
      deadline: deadlineIn(clock, deadlineMs),
      signal,
      category: 'balanced',
      ...toolFacts(tool),
      nextAttempt: () => (attempts += 1),
    };
  }

  return {
    manager,
    breakers,
    budgets,
    uploads,
    web,
    crumbs,
    log,
    by,
    async ask(request, options = {}) {
      const asker = by(options);
      const reports: AskReport[] = [];
      const heard: string[] = [];
      const notes: string[] = [];
      const listener: AskListener = options.listener ?? {
        onText: (text) => void heard.push(text),
        onNote: (note) => void notes.push(note),
        onReport: (report) => void reports.push(report),
      };
      const story = () => ({ reqId: asker.reqId, reports, heard: heard.join(''), notes });
      try {
        const answer = await manager.ask(request, asker, listener);
        return { answer, ...story() };
      } catch (thrown) {
        if (thrown instanceof CallError) return { error: thrown, ...story() };
        throw thrown;
      }
    },
    explain: (request, options) => manager.explain(request, by(options), 'with_payload'),
    async attempts(reqId) {
      await spent();
      return store.calls.attempts(reqId);
    },
    async usage() {
      await spent();
      return store.usage.totals({ principal, fromDay: '2000-01-01', toDay: '2999-12-31' });
    },
    chats: (vendor) =>
      emulator
        .requests(vendor === undefined ? {} : { vendor })
        .filter(({ method, path }) => method === 'POST' && path.includes('/chat')),
    held: () => [
      ...(getEventListeners(shared, 'abort').length > 0 ? ['listeners on the signal'] : []),
      ...breakers.all().flatMap(({ key, is }) => (is === 'half_open' ? `a probe of ${key}` : [])),
    ],
    async close() {
      await managing.close();
    },
  };
}

function addresses(
  url: string,
  providers: readonly SetUp[],
  { name, model, contextTokens = 0 }: OwnServer,
): Record<string, object> {
  const all = {
    kimi: { apiKey: KEYS.kimi, baseUrl: `${url}/kimi/v1` },
    glm: { apiKey: KEYS.glm, baseUrl: `${url}/glm/api/paas/v4` },
    openrouter: { apiKey: KEYS.openrouter, baseUrl: `${url}/openrouter/api/v1` },
    custom: { baseUrl: `${url}/${name}/v1`, model, contextTokens },
  };
  return Object.fromEntries(providers.map((id) => [id, all[id]]));
}

/** Full jitter from nothing: whoever may be asked again at once is. */
const AT_ONCE: Random = (bytes) => new Uint8Array(bytes);

function forgetful(): BreakerStore {
  const kept = new Map<string, Json>();
  return {
    save: async (key, state) => void kept.set(key, state),
    all: async () =>
      [...kept].map(([key, state]) => ({ key, state, updatedAt: systemClock.now() })),
  };
}
