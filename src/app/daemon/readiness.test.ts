import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { StoreHealth } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import { createReadiness } from './readiness.ts';

const UP: StoreHealth = { ok: true, kind: 'postgres', schemaVersion: 1 };
const DOWN: StoreHealth = { ...UP, ok: false, detail: 'PostgreSQL refuses connections.' };

test('a store that is up makes the daemon ready', async () => {
  const { probe } = setUp(() => Promise.resolve(UP));
  expect(await probe.check()).toEqual({ ready: true, store: UP });
});

test('a store that is down is reported, and the log shows when it failed and recovered', async () => {
  let health = UP;
  const { probe, events } = setUp(() => Promise.resolve(health));
  await probe.check();
  health = DOWN;
  expect(await probe.check()).toEqual({ ready: false, reason: DOWN.detail, store: DOWN });
  await probe.check();
  health = UP;
  await probe.check();
  expect(events).toEqual(['store_unavailable', 'store_recovered']);
});

test('a store that never answers makes the daemon not ready in bounded time', async () => {
  const { probe, clock } = setUp(() => new Promise(() => {}));
  const answer = probe.check();
  clock.advance(2000);
  expect(await answer).toEqual({ ready: false, reason: 'The store does not answer.' });
});

test('a daemon that stops is not ready, and says so without asking the store', async () => {
  const { probe } = setUp(() => Promise.reject(new Error('asked')));
  probe.drain();
  expect(await probe.check()).toEqual({ ready: false, reason: 'The daemon is stopping.' });
});

test('the watch checks the store periodically until it is stopped', async () => {
  let asked = 0;
  const { probe, clock } = setUp(() => {
    asked += 1;
    return Promise.resolve(UP);
  });
  const watch = probe.watch();
  await pass(clock, 15);
  expect(asked).toBe(1);
  watch.stop();
  await pass(clock, 60);
  expect(asked).toBe(1);
});

test('the watch checks a store that fails every second, and one that hangs once at a time', async () => {
  let asked = 0;
  let failure: CallError | undefined;
  const { probe, clock } = setUp(
    () => {
      asked += 1;
      return new Promise(() => {});
    },
    () => failure,
  );
  const watch = probe.watch();
  await pass(clock, 5);
  expect(asked).toBe(0);
  failure = new CallError('network', 'PostgreSQL cannot be reached.');
  await pass(clock, 10);
  expect(asked).toBe(1);
  watch.stop();
});

/** Lets a second pass after the other, with what follows from each. */
async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function setUp(
  health: () => Promise<StoreHealth>,
  failure: () => CallError | undefined = () => undefined,
) {
  const events: string[] = [];
  const log: Log = {
    info: (event) => void events.push(event),
    warn: (event) => void events.push(event),
    error: (event) => void events.push(event),
    with: () => log,
  };
  const clock = createFakeClock();
  return { clock, events, probe: createReadiness({ health, failure }, () => true, clock, log) };
}

test('a removed lock file makes the daemon unready, because it excludes no other daemon', async () => {
  const readiness = createReadiness(
    {
      health: () => Promise.resolve({ ok: true, kind: 'sqlite', schemaVersion: 1 }),
      failure: () => undefined,
    },
    () => false,
    createFakeClock(),
    createListLog(),
  );
  expect(await readiness.check()).toMatchObject({
    ready: false,
    reason: expect.stringContaining('daemon.lock was removed'),
  });
});
