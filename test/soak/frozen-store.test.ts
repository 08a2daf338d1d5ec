import { expect, test } from 'vitest';
import { reportSoak } from '../soak-table.ts';
import { get } from '../http-get.ts';
import { request } from './store-faults/load.ts';
import { openWorld, pause } from './store-faults/world.ts';

const SHORT_MS = 8000;
const LONG_MS = 20_000;
const DRAIN_MS = 2000;

test('with a frozen PostgreSQL no call waits longer than its deadline and a second, and a stop is bounded', async () => {
  const world = await openWorld();
  const daemon = await world.serve({
    EXAI_GATEWAY_TIMEOUT_MS: String(SHORT_MS),
    EXAI_INLINE_WAIT_MS: '15000',
    EXAI_JOBS_TIMEOUT_MS: String(LONG_MS),
    EXAI_SHUTDOWN_DRAIN_MS: String(DRAIN_MS),
  });
  await request(daemon.url, 'gateway json', 'before');
  const slow = { id: 'slow', path: 'chat', times: 0, with: { firstMs: 3000 } };
  world.emulator.fault(['kimi', 'glm'].map((vendor) => ({ ...slow, vendor })));
  // Half of them are under way when it freezes, the others come while nothing is known yet, and the last when it is.
  const timed = async (kind: Parameters<typeof request>[1], deadlineMs: number) => {
    const from = performance.now();
    const end = await request(daemon.url, kind, `frozen ${kind}`);
    return { kind, deadlineMs, ms: Math.round(performance.now() - from), end };
  };
  const KINDS = ['gateway json', 'gateway stream', 'mcp chat', 'mcp job'] as const;
  const deadlineOf = (kind: string) => (kind.startsWith('gateway') ? SHORT_MS : LONG_MS);
  const all = () => KINDS.map((kind) => timed(kind, deadlineOf(kind)));
  const calls = all();
  await pause(1000);
  world.server.freeze();
  calls.push(...all());
  await pause(12_000);
  const ready = await get(`${daemon.url}/readyz`);
  const during = all();
  const known = await Promise.all(during);
  const ends = [...(await Promise.all(calls)), ...known];

  const hanging = all();
  const from = performance.now();
  daemon.kill('SIGTERM');
  const { code } = await daemon.ended;
  const stopMs = Math.round(performance.now() - from);
  await Promise.all(hanging);
  world.server.thaw();

  const hung = ends.filter(({ ms, deadlineMs }) => ms > deadlineMs + 1000).length;
  const internal = ends.filter(({ end }) => /internal/.test(end.class)).length;
  const longest = (kind: string) =>
    Math.max(...ends.filter((each) => each.kind === kind).map(({ ms }) => ms));
  reportSoak({
    test: 'PostgreSQL frozen (SIGSTOP of all its processes)',
    amount: `${ends.length} calls, deadlines of 8 and 20 s`,
    lost: 0,
    hung,
    wrong: internal + ends.filter(({ end }) => end.is === 'wrong').length,
    note: `longest ${KINDS.map((kind) => `${kind} ${longest(kind)} ms`).join(', ')}; refused at once when known: ${Math.max(...known.map(({ ms }) => ms))} ms at most; SIGTERM meanwhile: exit ${code} after ${stopMs} ms (drain ${DRAIN_MS} ms)`,
  });
  expect(ready.status).toBe(503);
  expect({ hung, internal, code }).toEqual({ hung: 0, internal: 0, code: 0 });
  expect(stopMs).toBeLessThan(DRAIN_MS + 11_000);
  // Nothing is asked of a vendor that cannot be recorded.
  expect(known.map(({ end }) => end.class)).toEqual(
    known.map(() => expect.stringContaining('network')),
  );
});
