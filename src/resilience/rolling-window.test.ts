import { expect, test } from 'vitest';
import { counted, EMPTY_WINDOW, tallyOf } from './rolling-window.ts';

test('tenths of a window are forgotten one by one', () => {
  let window = counted(EMPTY_WINDOW, 0, 1000, 'timeout');
  window = counted(window, 50, 1000, 'timeout');
  window = counted(window, 500, 1000, 'network');
  window = counted(window, 550, 1000);
  const tally = { calls: 4, failures: 3, classes: { timeout: 2, network: 1 } };
  expect(tallyOf(window, 999, 1000)).toEqual(tally);
  expect(tallyOf(window, 1000, 1000)).toEqual({ calls: 2, failures: 1, classes: { network: 1 } });
  expect(tallyOf(window, 1500, 1000)).toEqual({ calls: 0, failures: 0, classes: {} });
});

test('however long it counts, it keeps ten tenths', () => {
  let window = EMPTY_WINDOW;
  for (let at = 0; at < 100_000; at += 37) window = counted(window, at, 1000, 'timeout');
  expect(window.older.length).toBeLessThan(10);
});

test('counting makes another value and leaves the one before', () => {
  const before = counted(EMPTY_WINDOW, 0, 1000, 'timeout');
  counted(before, 0, 1000, 'timeout');
  expect(tallyOf(before, 0, 1000).calls).toBe(1);
  expect(tallyOf(EMPTY_WINDOW, 0, 1000).calls).toBe(0);
});
