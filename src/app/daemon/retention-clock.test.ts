import { afterEach, beforeEach, expect, test } from 'vitest';
import { baseRenderer } from '#core/messages/render.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { openThreads } from '../../../test/open-threads.ts';
import { verifies } from '../../../test/verifies.ts';
import { clockNotices } from './clock-notices.ts';
import { createRetentionClock } from './retention-clock.ts';
import { RETENTION_METHODS, retentionMethods } from './retention-methods.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEN_YEARS_MS = 3_653 * DAY_MS;
const POLICY = {
  auditDays: 365,
  turnsDays: 30,
  attemptsDays: 30,
  usageDays: 400,
  jobsDays: 30,
  responsesDays: 30,
  filesDays: 30,
};

let clock: FakeClock;
let opened: Awaited<ReturnType<typeof openThreads>>;
let events: string[];

beforeEach(async () => {
  clock = createFakeClock();
  opened = await openThreads({ clock });
  events = [];
});
afterEach(() => opened.close());

/** As a daemon that starts now, or another one on this store with its own clock. */
function start(own = clock) {
  const line = (event: string) => void events.push(event);
  const log: Log = { info: line, warn: line, error: line, with: () => log };
  const { store } = opened;
  const retentionClock = createRetentionClock({ store, clock: own, log });
  const methods = retentionMethods({
    store,
    policy: () => POLICY,
    retentionClock,
    clock: own,
    log,
  });
  return { ...retentionClock, ask: (name: string, params: unknown) => methods[name]?.(params) };
}

async function storeTurn() {
  const id = `conv_${clock.now()}` as const;
  const { conversations } = opened.store;
  await conversations.create({ id, principal: 'ann', title: 'kept' });
  return id;
}

verifies(
  'store:retention-clock',
  'a start ten years ahead removes nothing, and a right clock goes on',
  async () => {
    expect(await start().time()).toBe(clock.now());
    clock.jump(TEN_YEARS_MS);
    const daemon = start();
    expect(await daemon.time()).toBeUndefined();
    expect(daemon.jump()).toMatchObject({ direction: 'ahead' });
    clock.advance(HOUR_MS);
    expect(await daemon.time()).toBeUndefined();
    expect(events).toEqual(['clock_jumped']);
    const [notice] = clockNotices(daemon);
    expect(notice).toMatchObject({ code: 'clock_jumped', params: { hours: 71 } });
    expect(notice && baseRenderer.notice(notice)).toContain('exai retention run');
    clock.jump(-TEN_YEARS_MS);
    expect(await daemon.time()).toBe(clock.now());
    expect(clockNotices(daemon)).toEqual([]);
    expect(events).toEqual(['clock_jumped', 'clock_trusted']);
  },
);

verifies(
  'store:retention-clock',
  'the first start on a store of an older version judges the clock by its newest row',
  async () => {
    await storeTurn();
    clock.jump(TEN_YEARS_MS);
    expect(await start().time()).toBeUndefined();
  },
);

test('days of running confirm a clock, also over restarts', async () => {
  await start().time();
  clock.jump(TEN_YEARS_MS);
  for (let n = 0; n < 3; n++) {
    const daemon = start();
    expect(await daemon.time()).toBeUndefined();
    clock.advance(DAY_MS);
    expect(await daemon.time()).toBe(n === 2 ? clock.now() : undefined);
  }
});

test('a clock that goes back is reported, and what it finds too old may go', async () => {
  await start().time();
  clock.jump(-TEN_YEARS_MS);
  const daemon = start();
  expect(await daemon.time()).toBe(clock.now());
  expect(daemon.jump()?.direction).toBe('behind');
  clock.jump(TEN_YEARS_MS);
  expect(await daemon.time()).toBe(clock.now());
  expect(daemon.jump()).toBeUndefined();
});

test('of two daemons on one store, the one with the right clock goes on alone', async () => {
  const right = start();
  await right.time();
  const wrongClock = createFakeClock(clock.now() + TEN_YEARS_MS);
  const wrong = start(wrongClock);
  for (let hour = 0; hour < 100; hour++) {
    expect(await wrong.time()).toBeUndefined();
    expect(await right.time()).toBe(clock.now());
    clock.advance(HOUR_MS);
    wrongClock.advance(HOUR_MS);
  }
});

verifies(
  'store:retention-clock',
  'the owner sees what a clock that jumped would remove, and confirms it',
  async () => {
    const id = await storeTurn();
    await start().time();
    clock.jump(TEN_YEARS_MS);
    const daemon = start();
    const atMs = clock.now();
    const preview = await daemon.ask(RETENTION_METHODS.preview, {});
    expect(preview).toEqual({ atMs, rows: { conversations: 1 }, clock: 'ahead' });
    for (const at_ms of [undefined, 'x', 0, atMs + 1, atMs - 2 * HOUR_MS])
      await expect(daemon.ask(RETENTION_METHODS.run, { at_ms })).rejects.toMatchObject({
        field: 'at_ms',
      });
    expect(await opened.store.conversations.get(id, 'ann')).toBeDefined();
    const run = await daemon.ask(RETENTION_METHODS.run, { at_ms: atMs });
    expect(run).toMatchObject({ atMs, removed: { conversations: 1 } });
    expect(await opened.store.conversations.get(id, 'ann')).toBeUndefined();
    expect(await daemon.time()).toBe(clock.now());
    expect(await start().time()).toBe(clock.now());
  },
);

test('a damaged record is made again from the newest row', async () => {
  await storeTurn();
  await opened.store.settings.set('retention_clock', 'damaged');
  clock.jump(TEN_YEARS_MS);
  expect(await start().time()).toBeUndefined();
});
