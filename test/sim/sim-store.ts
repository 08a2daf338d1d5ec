import { CallError } from '#core/errors/call-error.ts';
import type { ResponseStore } from '#core/stores/responses.ts';
import type { ResultStore } from '#core/stores/results.ts';
import type { CallRecord, CallStore } from '#core/stores/calls.ts';
import type { BreakerStore } from '#core/stores/breakers.ts';
import type { Client, ClientStore } from '#core/stores/clients.ts';
import type { ProviderFileStore } from '#core/stores/files.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { UsageStore, UsageTotal } from '#core/stores/usage.ts';
import { utcDay } from '#core/time/utc-day.ts';
import { boundCommit } from '#store/bounded-commit.ts';
import { trackWriteHealth } from '#store/write-health.ts';
import type { Disk } from './disk.ts';
import { EPOCH_MS, type SimProcess } from './sim-process.ts';
import type { JobBook } from './job-book.ts';
import { createSimJobs, type Commit, type SimJobs } from './sim-jobs.ts';
import { createSimFiles } from './sim-files.ts';
import { createSimResponses } from './sim-responses.ts';
import { createSimResults } from './sim-results.ts';
import type { SeededRandom } from './random.ts';
import type { Simulation } from './simulation.ts';

export interface SimStore {
  readonly calls: CallStore;
  readonly clients: ClientStore;
  readonly usage: UsageStore;
  readonly breakers: BreakerStore;
  readonly settings: SettingStore;
  readonly jobs: SimJobs;
  readonly results: ResultStore;
  readonly responses: ResponseStore;
  readonly files: ProviderFileStore;
  /** Rows that the disk refused, or did not answer for: nobody may expect them. */
  readonly refused: ReadonlySet<string>;
  /** Calls of whose attempts and usage it refused some. */
  readonly unspent: ReadonlySet<string>;
  /** Why nothing can be stored now, by the rules of the real store. */
  failure(): CallError | undefined;
  /** Commits what is left. */
  close(): Promise<void>;
  /** Its process ends, and waits no longer for what is not committed. */
  giveUp(): void;
}

/** How the store waits for a disk. */
export type Bound = typeof boundCommit<Batch, void>;

export interface Batch {
  readonly apply: (() => void)[];
  readonly reqIds: string[];
  readonly spenders: string[];
  readonly waiters: { done(): void; failed(error: CallError): void }[];
}

const NOTE_WITHIN_MS = 50;
const SLOW_COMMIT_MS = 200;
const ACK_MS = 2;
const FAR_BEHIND = 5;
/** Two commits, each at its limit. */
const LIMIT_MS = 17_000;
/** How often a store that fails is tried again. */
const PROBE_MS = 1000;

/**
 * The longest that a row waits: for company, for the commit that runs, for its own, and for the
 * word of it.
 */
export const MAX_RECORD_MS = NOTE_WITHIN_MS + 2 * (SLOW_COMMIT_MS + ACK_MS);

/** After a disk that hung, the longest until nothing is refused any more. */
export const MAX_RECOVERY_MS = PROBE_MS + 2 * MAX_RECORD_MS;

/**
 * Commits in groups, in the order in which they came: what arrives while one runs is the next, so
 * nothing is on the disk later than what was given after it. A row is there some time after it was
 * given, and its giver hears of it later still; a crash in between loses the one or the other.
 */
export function createSimStore(
  disk: Disk,
  simulation: Simulation,
  life: SimProcess,
  random: SeededRandom,
  book: JobBook,
  bound: Bound = boundCommit,
): SimStore {
  const refused = new Set<string>();
  const unspent = new Set<string>();
  let next = newBatch();
  let current = newBatch();
  let state: 'idle' | 'soon' | 'committing' = 'idle';
  let whenIdle: (() => void)[] = [];

  function commitNow(): void {
    if (state === 'committing') return;
    if (next.apply.length === 0) {
      state = 'idle';
      for (const resolve of whenIdle.splice(0)) resolve();
      return;
    }
    state = 'committing';
    const batch = (current = next);
    next = newBatch();
    commitBatch(batch).then(
      () => answer(batch),
      (thrown: unknown) => answer(batch, CallError.from(thrown)),
    );
  }

  function answer(batch: Batch, error?: CallError): void {
    if (error) {
      disown(batch);
      // Of a daemon that was held, the time is over before it hears of a commit.
      disk.wasUnwellAt = Math.max(disk.wasUnwellAt, simulation.now + MAX_RECOVERY_MS);
    }
    for (const waiter of batch.waiters) {
      if (error) waiter.failed(error);
      else waiter.done();
    }
    state = 'idle';
    commitNow();
  }

  /** Whoever gave these is told that they may not be there. */
  function disown(batch: Batch): void {
    for (const reqId of batch.reqIds) refused.add(reqId);
    for (const reqId of batch.spenders) unspent.add(reqId);
  }

  /** A disk that hangs answers late, whether somebody waits still or not. */
  const commitBatch = bound(
    (batch) =>
      new Promise<void>((resolve, reject) => {
        const takesMs = random.chance(0.05) ? SLOW_COMMIT_MS : random.between(1, 15);
        life.after(takesMs, () => {
          const { until, end } = disk.hang;
          const { now } = simulation;
          if (until <= now) return finish(batch, resolve, reject);
          simulation.tell('disk', () => `holds ${batch.reqIds.join(' ')}`);
          life.after(until - now, () => {
            if (end === 'kept') return finish(batch, resolve, reject);
            simulation.tell('disk', () => `loses ${batch.reqIds.join(' ')}`);
            reject(new CallError('over_capacity', 'The disk failed.'));
          });
        });
      }),
    { clock: life, silent: () => new CallError('over_capacity', 'The disk does not answer.') },
  );

  function finish(batch: Batch, done: () => void, failed: (error: CallError) => void): void {
    const { isFull } = disk;
    simulation.tell('disk', () => `${isFull ? 'refuses' : 'has'} ${batch.reqIds.join(' ')}`);
    if (isFull) disown(batch);
    else for (const apply of batch.apply) apply();
    life.after(random.between(0, ACK_MS), () => {
      if (isFull) failed(new CallError('over_capacity', 'The disk is full.'));
      else done();
    });
  }

  const health = trackWriteHealth(
    () => enqueue(() => undefined).then(() => []),
    () => undefined,
  );
  let isProbing = false;

  async function write(apply: () => void, reqId?: string): Promise<void> {
    try {
      await health.writing(enqueue(apply, reqId).then(() => []));
    } finally {
      if (health.failure() && !isProbing) probeLater();
    }
  }

  /** Whatever the disk does, whoever writes hears of it. */
  function watchLimit(reqId = ''): { stop(): void } {
    const tooLong = () =>
      simulation.violate('store-limit', `a write ${reqId} has no answer after ${LIMIT_MS} ms`);
    // Of one who was held, all times are over at once.
    let timer = life.after(LIMIT_MS, () => (timer = life.after(MAX_RECOVERY_MS, tooLong)));
    return { stop: () => timer.stop() };
  }

  function probeLater(): void {
    isProbing = true;
    life.after(PROBE_MS, () => {
      void health.health().then(({ ok }) => {
        if (ok) isProbing = false;
        else probeLater();
      });
    });
  }

  function enqueue(apply: () => void, reqId?: string): Promise<void> {
    const watched = watchLimit(reqId);
    const written = new Promise<void>((resolve, reject) => {
      const done = () => {
        watched.stop();
        resolve();
      };
      const failed = (error: CallError) => {
        watched.stop();
        reject(error);
      };
      next.waiters.push({ done, failed });
    });
    next.apply.push(apply);
    if (reqId !== undefined) next.reqIds.push(reqId);
    commitNow();
    return written;
  }

  const commit: Commit = async (what, apply) => {
    const outcome: { value?: ReturnType<typeof apply> } = {};
    await write(() => void (outcome.value = apply()), what);
    return outcome.value as ReturnType<typeof apply>;
  };

  function put(row: CallRecord): void {
    if (disk.rows.has(row.reqId)) simulation.violate('one-row', `${row.reqId} has two audit rows`);
    disk.rows.set(row.reqId, row);
  }

  const calls: CallStore = {
    record: (row) => write(() => put(row), row.reqId),
    recordLazily(row) {
      next.apply.push(() => put(row));
      next.reqIds.push(row.reqId);
      if (state === 'idle') {
        state = 'soon';
        life.after(NOTE_WITHIN_MS, () => state === 'soon' && commitNow());
      }
      if (next.apply.length < FAR_BEHIND) return undefined;
      const { waiters } = next;
      return new Promise<void>((done) => void waiters.push({ done, failed: () => done() }));
    },
    recordUsage(attempts, usage) {
      next.spenders.push(...[...attempts, ...usage].map(({ reqId }) => reqId));
      return write(() => {
        disk.attempts.push(...attempts);
        disk.usage.push(...usage);
      });
    },
    list: async ({ reqId }) =>
      [...disk.rows.values()].reverse().filter((row) => (reqId ?? row.reqId) === row.reqId),
    attempts: async (reqId) => disk.attempts.filter((row) => row.reqId === reqId),
    costs: async ({ reqIds }) => ({
      attempts: disk.attempts.filter((row) => reqIds.includes(row.reqId)),
      usage: disk.usage.filter((row) => reqIds.includes(row.reqId)),
    }),
  };

  return {
    calls,
    clients: simClients(disk, life, random, write),
    usage: simUsage(disk),
    breakers: simBreakers(disk, simulation, write),
    settings: simSettings(disk, write),
    jobs: createSimJobs({ disk, simulation, book, commit }),
    results: createSimResults(disk, simulation, commit),
    responses: createSimResponses(disk, simulation, commit),
    files: createSimFiles(disk, () => EPOCH_MS + simulation.now, write),
    refused,
    unspent,
    failure: () => health.failure(),
    giveUp() {
      disown(current);
      disown(next);
    },
    close() {
      if (state === 'idle') return Promise.resolve();
      return new Promise((resolve) => {
        whenIdle.push(resolve);
        commitNow();
      });
    },
  };
}

function newBatch(): Batch {
  return { apply: [], reqIds: [], spenders: [], waiters: [] };
}

function simClients(
  { clients }: Disk,
  life: SimProcess,
  random: SeededRandom,
  write: Write,
): ClientStore {
  type NewClient = Parameters<ClientStore['add']>[0];
  const put = (client: NewClient) =>
    void clients.set(client.id, { ...client, createdAt: 0, expiresAt: null });
  const expire = (id: string, expiresAt: number) => {
    const client = clients.get(id);
    if (client) clients.set(id, { ...client, expiresAt });
  };
  return {
    add: (client) => write(() => put(client)),
    expire: (id, atMs) => write(() => expire(id, atMs)),
    replace: (id, next, oldUntilMs) =>
      write(() => {
        put(next);
        expire(id, oldUntilMs);
      }),
    list: async () => [...clients.values()],
    hasData: async () => false,
    byToken: (tokenSha256) =>
      new Promise<Client | undefined>((resolve) => {
        life.after(random.between(0, 5), () =>
          resolve([...clients.values()].find((client) => client.tokenSha256 === tokenSha256)),
        );
      }),
  };
}

type Write = (apply: () => void) => Promise<void>;

function simUsage({ usage }: Disk): UsageStore {
  return {
    async totals({ principal, fromDay, toDay }) {
      return usage
        .filter(({ at }) => utcDay(at) >= fromDay && utcDay(at) <= toDay)
        .filter((row) => principal === undefined || row.principal === principal)
        .map((row): UsageTotal => ({
          ...row,
          day: utcDay(row.at),
          calls: 1,
          unpriced: row.priced ? 0 : 1,
          estimated: row.estimated ? 1 : 0,
        }));
    },
    sums: async () => [],
  };
}

function simBreakers({ breakers }: Disk, simulation: Simulation, write: Write): BreakerStore {
  return {
    save(key, state) {
      const updatedAt = EPOCH_MS + simulation.now;
      return write(() => void breakers.set(key, { state, updatedAt }));
    },
    all: async () => [...breakers].map(([key, saved]) => ({ key, ...saved })),
  };
}

function simSettings({ settings }: Disk, write: Write): SettingStore {
  return {
    get: async (name) => settings.get(name),
    set: (name, value) => write(() => void settings.set(name, value)),
    async keep(name, value) {
      await write(() => void (settings.has(name) || settings.set(name, value)));
      return settings.get(name) ?? value;
    },
    delete: (name) => write(() => void settings.delete(name)),
  };
}
