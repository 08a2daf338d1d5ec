import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import type { Threads } from '#core/threads.ts';
import { openStore } from '#store/open-store.ts';
import { createThreads, type ThreadsDeps } from '#threads/create-threads.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createListLog } from './list-log.ts';

export interface OpenedThreads {
  /** The same after `reopen`. */
  readonly threads: Threads;
  readonly store: Store;
  readonly clock: FakeClock;
  /** Closes the store and opens it again, as a restart of the daemon does. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Real conversations over a real SQLite store in a folder of their own, for any test that needs
 * some.
 */
export async function openThreads(
  options: Partial<Pick<ThreadsDeps, 'maxTurns' | 'keptDays'>> & { clock?: FakeClock } = {},
): Promise<OpenedThreads> {
  const { clock = createFakeClock(), maxTurns = 200, keptDays = 0 } = options;
  const dir = mkdtempSync(join(tmpdir(), 'exai-threads-'));
  const open = () =>
    openStore({
      database: '',
      dataDir: join(dir, 'data'),
      backupDir: join(dir, 'backups'),
      writerId: 'writer_threads',
      clock,
      log: createListLog(),
    });
  let seed = 0;
  const newId = createIds(clock, (bytes) => new Uint8Array(bytes).fill(++seed));
  let store = await open();
  let threads = over(store);

  function over(opened: Store): Threads {
    return createThreads({ store: opened, clock, newId, maxTurns, keptDays });
  }

  return {
    threads: {
      open: (...args) => threads.open(...args),
      list: (...args) => threads.list(...args),
      show: (...args) => threads.show(...args),
      search: (...args) => threads.search(...args),
      fork: (...args) => threads.fork(...args),
      rename: (...args) => threads.rename(...args),
      delete: (...args) => threads.delete(...args),
    },
    get store() {
      return store;
    },
    clock,
    async reopen() {
      await store.close();
      store = await open();
      threads = over(store);
    },
    async close() {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
