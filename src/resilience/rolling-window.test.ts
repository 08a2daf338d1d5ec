import { expect, test } from 'vitest';
import { countInWindow, EMPTY_WINDOW, tallyWindow } from './rolling-window.ts';

test('buckets of a window expire one by one', () => {
  let window = countInWindow(EMPTY_WINDOW, 0, 1000, 'timeout');
  window = countInWindow(window, 50, 1000, 'timeout');
  window = countInWindow(window, 500, 1000, 'network');
  window = countInWindow(window, 550, 1000);
  const tally = { calls: 4, failures: 3, classes: { timeout: 2, network: 1 } };
  expect(tallyWindow(window, 999, 1000)).toEqual(tally);
  expect(tallyWindow(window, 1000, 1000)).toEqual({
    calls: 2,
    failures: 1,
    classes: { network: 1 },
  });
  expect(tallyWindow(window, 1500, 1000)).toEqual({ calls: 0, failures: 0, classes: {} });
});

test('it never has more than ten buckets', () => {
  let window = EMPTY_WINDOW;
  for (let at = 0; at < 100_000; at += 37) window = countInWindow(window, at, 1000, 'timeout');
  expect(window.older.length).toBeLessThan(10);
});

test('counting returns a new value and leaves the old one unchanged', () => {
  const before = countInWindow(EMPTY_WINDOW, 0, 1000, 'timeout');
  countInWindow(before, 0, 1000, 'timeout');
  expect(tallyWindow(before, 0, 1000).calls).toBe(1);
  expect(tallyWindow(EMPTY_WINDOW, 0, 1000).calls).toBe(0);
});
