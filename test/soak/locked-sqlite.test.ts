import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '#store/sqlite/connection.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { startEmulator } from '../../emulator/start.ts';
import { createHome } from '../e2e/exai.ts';
import { get } from '../http-get.ts';
import { reportSoak } from '../soak-table.ts';
import { request } from './store-faults/load.ts';
import { pause, vendorEnv } from './store-faults/world.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/silent-disk.mjs', import.meta.url));
const SHORT_MS = 8000;
const LONG_MS = 20_000;
const DRAIN_MS = 2000;
const KINDS = ['gateway json', 'gateway stream', 'mcp chat', 'mcp job'] as const;

interface Hold {
  readonly name: string;
  readonly says: string;
  /** Returns how to let go. */
  readonly begin: (home: Home) => () => void;
}

type Home = ReturnType<typeof createHome>;

const HOLDS: readonly Hold[] = [
  {
    name: 'SQLite locked by another program (BEGIN EXCLUSIVE)',
    says: 'Another program holds',
    begin(home) {
      const other = openSqlite(sqliteFile(home.path('data')), 'write');
      other.exec('begin exclusive');
      return () => other.close();
    },
  },
  {
    name: 'SQLite on a disk that does not answer (its writer stands still)',
    says: 'does not answer',
    begin(home) {
      writeFileSync(home.path('held'), '');
      return () => rmSync(home.path('held'), { force: true });
    },
  },
];

test.each(HOLDS)(
  '$name: no call waits longer than its deadline and a second, and a stop is bounded',
  async ({ name, says, begin }) => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const home = createHome();
    const daemon = await home.serve([], {
      env: {
        ...vendorEnv(emulator),
        NODE_OPTIONS: `--import=${FIXTURE}`,
        TEST_SILENT_DISK: home.path('held'),
        EXAI_GATEWAY_TIMEOUT_MS: String(SHORT_MS),
        EXAI_INLINE_WAIT_MS: '15000',
        EXAI_JOBS_TIMEOUT_MS: String(LONG_MS),
        EXAI_SHUTDOWN_DRAIN_MS: String(DRAIN_MS),
      },
    });
    await request(daemon.url, 'gateway json', 'before');
    const slow = { id: 'slow', path: 'chat', times: 0, with: { firstMs: 3000 } };
    emulator.fault(['kimi', 'glm'].map((vendor) => ({ ...slow, vendor })));
    const timed = async (kind: (typeof KINDS)[number]) => {
      const from = performance.now();
      const end = await request(daemon.url, kind, `locked ${kind}`);
      const deadlineMs = kind.startsWith('gateway') ? SHORT_MS : LONG_MS;
      return { kind, deadlineMs, ms: Math.round(performance.now() - from), end };
    };
    // Half of them are under way when it is locked, the others come while nothing is known yet, and the last when it is.
    const calls = KINDS.map(timed);
    await pause(1000);
    const letGo = begin(home);
    calls.push(...KINDS.map(timed));
    await pause(12_000);
    const ready = await get(`${daemon.url}/readyz`);
    const known = await Promise.all(KINDS.map(timed));
    const ends = [...(await Promise.all(calls)), ...known];

    const hanging = KINDS.map(timed);
    const from = performance.now();
    daemon.kill('SIGTERM');
    const { code } = await daemon.ended;
    const stopMs = Math.round(performance.now() - from);
    await Promise.all(hanging);
    letGo();

    const hung = ends.filter(({ ms, deadlineMs }) => ms > deadlineMs + 1000).length;
    const internal = ends.filter(({ end }) => /internal/.test(end.class)).length;
    const longest = (kind: string) =>
      Math.max(...ends.filter((each) => each.kind === kind).map(({ ms }) => ms));
    reportSoak({
      test: name,
      amount: `${ends.length} calls, deadlines of 8 and 20 s`,
      lost: 0,
      hung,
      wrong: internal + ends.filter(({ end }) => end.is === 'wrong').length,
      note: `longest ${KINDS.map((kind) => `${kind} ${longest(kind)} ms`).join(', ')}; refused at once when known: ${Math.max(...known.map(({ ms }) => ms))} ms at most (${[...new Set(known.map(({ end }) => end.class))].join(', ')}); /readyz ${ready.status}; SIGTERM meanwhile: exit ${code} after ${stopMs} ms (drain ${DRAIN_MS} ms)`,
    });
    expect(ready.status).toBe(503);
    expect(ready.body).toContain(says);
    expect({ hung, internal }).toEqual({ hung: 0, internal: 0 });
    // It ends itself with SIGKILL where a thread cannot be ended.
    expect([0, null]).toContain(code);
    expect(stopMs).toBeLessThan(DRAIN_MS + 11_000);
    // Nothing is asked of a vendor that cannot be recorded.
    expect(known.map(({ end }) => end.class)).toEqual(
      known.map(() => expect.stringContaining('over_capacity')),
    );
  },
);
