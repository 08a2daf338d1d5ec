import { expect, test } from 'vitest';
import type { RetentionPolicy } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
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
  const retention = startRetention({ prune }, POLICY, clock, recorder(events));
  clock.advance(HOUR_MS);
  await retention.stop();
  clock.advance(HOUR_MS);
  expect(calls).toBe(2);
  expect(events).toEqual(['retention_failed', 'retention']);
});

test('stopping waits for a running removal', async () => {
  let finish: (removed: Record<string, number>) => void = () => undefined;
  const prune = () => new Promise<Record<string, number>>((resolve) => (finish = resolve));
  const retention = startRetention({ prune }, POLICY, createFakeClock(), recorder([]));
  let stopped = false;
  const stopping = retention.stop().then(() => (stopped = true));
  await Promise.resolve();
  expect(stopped).toBe(false);
  finish({});
  await stopping;
});

function recorder(events: string[]): Log {
  const log: Log = {
    info: (event) => void events.push(event),
    warn: (event) => void events.push(event),
    error: (event) => void events.push(event),
    with: () => log,
  };
  return log;
}
