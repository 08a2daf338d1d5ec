import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createSilences } from './silences.ts';

const EXPECTED_MS = 1000;

test('requests that are silent for longer than usual are silent together', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  const waits = [1, 2, 3].map(() => silences.waitFor('kimi', EXPECTED_MS, 'measured'));
  const other = silences.waitFor('glm', EXPECTED_MS, 'measured');
  clock.advance(900);
  expect(waits[0]?.togetherMs(5000)).toBe(900);
  clock.advance(600);
  expect(waits[0]?.togetherMs(5000)).toBe(4500);
  expect(waits[0]?.togetherMs(3000)).toBe(3000);
  expect(other.togetherMs(5000)).toBe(1500);
  // Those that ended without a word were silent, too, until the next word or for half a minute.
  waits[1]?.end();
  expect(waits[0]?.togetherMs(9000)).toBe(4500);
  silences.heard('kimi');
  clock.advance(1000);
  expect(waits[0]?.togetherMs(9000)).toBe(2000);
});

test('the silence of ended requests is forgotten, and one that ended in time adds none', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  const [late, quick] = [EXPECTED_MS, 60_000].map((expectedMs) =>
    silences.waitFor('kimi', expectedMs, 'measured'),
  );
  clock.advance(2000);
  late?.end();
  quick?.end();
  const next = silences.waitFor('kimi', EXPECTED_MS, 'measured');
  expect(next.togetherMs(9000)).toBe(2000);
  next.end();
  clock.advance(30_000);
  expect(silences.waitFor('kimi', EXPECTED_MS, 'measured').togetherMs(9000)).toBe(0);
});

test('of requests whose usual time is not known, only others like them take account', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  const first = silences.waitFor('kimi', EXPECTED_MS, 'assumed');
  silences.waitFor('kimi', EXPECTED_MS, 'assumed');
  const queued = silences.queueFor('kimi');
  clock.advance(2000);
  expect(first.togetherMs(9000)).toBe(0);
  expect(first.togetherMs(9000, 'all')).toBe(4000);
  silences.waitFor('kimi', EXPECTED_MS, 'measured');
  clock.advance(1500);
  expect(first.togetherMs(9000)).toBe(1500);
  expect(queued.togetherMs(9000)).toBe(1500);
});

verifies('hedge:together', 'a word for one request ends the silence of all', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  const [first] = [1, 2, 3].map(() => silences.waitFor('kimi', EXPECTED_MS, 'measured'));
  clock.advance(2000);
  silences.heard('kimi');
  clock.advance(300);
  expect(first?.silentMs()).toBe(300);
  expect(first?.togetherMs(5000)).toBe(900);
});

test('a request that may be silent for long adds nothing', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  silences.waitFor('kimi', 60_000, 'measured');
  const quick = silences.waitFor('kimi', EXPECTED_MS, 'measured');
  clock.advance(2000);
  expect(quick.togetherMs(5000)).toBe(2000);
});
