import { expect, test } from 'vitest';
import type { RetentionPolicy, Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import type { RetentionClock } from './retention-clock.ts';
import { startRetention } from './retention.ts';

const POLICY: RetentionPolicy = {
  auditDays: 365,
  turnsDays: 0,
  attemptsDays: 30,
  usageDays: 400,
  jobsDays: 30,
  responsesDays: 0,
  filesDays: 0,
};
const HOUR_MS = 3_600_000;

test('old rows are removed at the start and every hour, also after a failure', async () => {
  const clock = createFakeClock();
  const events: string[] = [];
  let calls = 0;
  const prune = () => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error('busy')) : Promise.resolve({ calls: 3 });
  };
  const retention = start({ prune, clock, log: recorder(events) });
  clock.advance(HOUR_MS);
  await retention.stop();
  clock.advance(HOUR_MS);
  expect(calls).toBe(2);
  expect(events).toEqual(['retention_failed', 'retention']);
});

test('stopping waits for a running removal', async () => {
  let finish: (removed: Record<string, number>) => void = () => undefined;
  const prune = () => new Promise<Record<string, number>>((resolve) => (finish = resolve));
  const retention = start({ prune, clock: createFakeClock(), log: recorder([]) });
  let stopped = false;
  const stopping = retention.stop().then(() => (stopped = true));
  await Promise.resolve();
  expect(stopped).toBe(false);
  finish({});
  await stopping;
});

test('nothing is removed while the clock is not trusted', async () => {
  const clock = createFakeClock();
  let trusted: number | undefined;
  const pruned: (number | undefined)[] = [];
  const prune: Store['prune'] = async (_policy, atMs) => {
    pruned.push(atMs);
    return {};
  };
  const retention = start({ prune, clock, log: recorder([]), time: async () => trusted });
  await clock.untilWaiting();
  trusted = 77;
  clock.advance(HOUR_MS);
  await retention.stop();
  expect(pruned).toEqual([77]);
});

function start({
  prune,
  clock,
  log,
  time = async () => clock.now(),
}: Pick<Store, 'prune'> & {
  readonly clock: FakeClock;
  readonly log: Log;
  readonly time?: RetentionClock['time'];
}) {
  return startRetention({ store: { prune }, policy: POLICY, retentionClock: { time }, clock, log });
}

function recorder(events: string[]): Log {
  const log: Log = {
    info: (event) => void events.push(event),
    warn: (event) => void events.push(event),
    error: (event) => void events.push(event),
    with: () => log,
  };
  return log;
}
