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
  /** Rows that a full disk refused: nobody may expect them. */
  readonly refused: ReadonlySet<string>;
  /** Calls of whose attempts and usage it refused some. */
  readonly unspent: ReadonlySet<string>;
  /** Commits what is left. */
  close(): Promise<void>;
}

interface Batch {
  readonly apply: (() => void)[];
  readonly reqIds: string[];
  readonly spenders: string[];
  readonly waiters: { done(): void; failed(error: CallError): void }[];
}

const NOTE_WITHIN_MS = 50;
const SLOW_COMMIT_MS = 200;
const ACK_MS = 2;
const FAR_BEHIND = 5;

/**
 * The longest that a row waits: for company, for the commit that runs, for its own, and for the
 * word of it.
 */
export const MAX_RECORD_MS = NOTE_WITHIN_MS + 2 * (SLOW_COMMIT_MS + ACK_MS);

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
): SimStore {
  const refused = new Set<string>();
  const unspent = new Set<string>();
  let next = newBatch();
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
    const batch = next;
    next = newBatch();
    const takesMs = random.chance(0.05) ? SLOW_COMMIT_MS : random.between(1, 15);
    life.after(takesMs, () => finish(batch));
  }

  function finish(batch: Batch): void {
    const { isFull } = disk;
    simulation.tell('disk', () => `${isFull ? 'refuses' : 'has'} ${batch.reqIds.join(' ')}`);
    if (isFull) {
      for (const reqId of batch.reqIds) refused.add(reqId);
      for (const reqId of batch.spenders) unspent.add(reqId);
    } else for (const apply of batch.apply) apply();
    life.after(random.between(0, ACK_MS), () => {
      for (const waiter of batch.waiters) {
        if (isFull) waiter.failed(new CallError('over_capacity', 'The disk is full.'));
        else waiter.done();
      }
      state = 'idle';
      commitNow();
    });
  }

  function write(apply: () => void, reqId?: string): Promise<void> {
    const written = new Promise<void>((done, failed) => next.waiters.push({ done, failed }));
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
