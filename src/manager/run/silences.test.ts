import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createSilences } from './silences.ts';

const EXPECTED_MS = 1000;

test('requests that are silent for longer than usual are silent together', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  const waits = [1, 2, 3].map(() => silences.waitFor('kimi', EXPECTED_MS));
  const other = silences.waitFor('glm', EXPECTED_MS);
  clock.advance(900);
  expect(waits[0]?.togetherMs(5000)).toBe(900);
  clock.advance(600);
  expect(waits[0]?.togetherMs(5000)).toBe(4500);
  expect(waits[0]?.togetherMs(3000)).toBe(3000);
  expect(other.togetherMs(5000)).toBe(1500);
  waits[1]?.end();
  expect(waits[0]?.togetherMs(5000)).toBe(3000);
});

verifies('hedge:together', 'a word for one request ends the silence of all', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  const [first] = [1, 2, 3].map(() => silences.waitFor('kimi', EXPECTED_MS));
  clock.advance(2000);
  silences.heard('kimi');
  clock.advance(300);
  expect(first?.silentMs()).toBe(300);
  expect(first?.togetherMs(5000)).toBe(900);
});

test('a request that may be silent for long adds nothing', () => {
  const clock = createFakeClock();
  const silences = createSilences(clock);
  silences.waitFor('kimi', 60_000);
  const quick = silences.waitFor('kimi', EXPECTED_MS);
  clock.advance(2000);
  expect(quick.togetherMs(5000)).toBe(2000);
});
