import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createSearch } from './log-search.ts';

const LINES = ['status success', 'chat error timeout', 'Chat success', 'price is 3.50 (net)'];
const ALWAYS = new AbortController().signal;
const TIME_LIMIT_MS = 777;
const BACKTRACKING = '^(\\w+\\s?)*$';
const VICTIM = `${'a'.repeat(64)}!`;

/** Time stands still until a pattern begins to run; then its limit has passed at once. */
function impatientClock() {
  const clock = createFakeClock();
  return {
    ...clock,
    after(ms: number, then: () => void) {
      const timer = clock.after(ms, then);
      if (ms === TIME_LIMIT_MS) queueMicrotask(() => clock.advance(ms));
      return timer;
    },
  };
}

test('a plain text is found in any case, without a thread', async () => {
  const clock = createFakeClock();
  const search = createSearch({ clock });
  expect(await search('CHAT', LINES, ALWAYS)).toEqual([1, 2]);
  expect(await search('', LINES, ALWAYS)).toEqual([0, 1, 2, 3]);
  expect(clock.waiting).toBe(0);
});

test('a regular expression is found in any case, several at once in turn', async () => {
  const clock = createFakeClock();
  const search = createSearch({ clock });
  const found = await Promise.all([
    search('^chat', LINES, ALWAYS),
    search('3\\.50 \\(net\\)', LINES, ALWAYS),
    search('^nothing$', LINES, ALWAYS),
  ]);
  expect(found).toEqual([[1, 2], [3], []]);
  expect(clock.waiting).toBe(0);
});

const HOSTILE = [
  { pattern: BACKTRACKING, line: VICTIM },
  { pattern: '(?:(?:(?:.?){999}x){999}y){999}', line: 'status success' },
];

verifies('tools:filter', 'a pattern that would run for ever is ended and named', async () => {
  for (const { pattern, line } of HOSTILE) {
    const search = createSearch({ clock: impatientClock(), timeLimitMs: TIME_LIMIT_MS });
    await expect(search(pattern, [line], ALWAYS)).rejects.toMatchObject({
      class: 'validation',
      field: 'filter',
    });
  }
});

test('a pattern that is too long is refused', async () => {
  const search = createSearch({ clock: createFakeClock() });
  await expect(search('.'.repeat(257), LINES, ALWAYS)).rejects.toMatchObject({
    class: 'validation',
    field: 'filter',
  });
});

test.each(['(', '[z-a]', '*a', '\\', 'a{2,1}'])('%s is refused as no expression', async (text) => {
  const search = createSearch({ clock: createFakeClock() });
  await expect(search(text, LINES, ALWAYS)).rejects.toMatchObject({
    class: 'validation',
    field: 'filter',
  });
});

verifies(
  'tools:filter',
  'a cancelled search ends, and so does one that still waits for its turn',
  async () => {
    const search = createSearch({ clock: createFakeClock() });
    const controller = new AbortController();
    const running = search(BACKTRACKING, [VICTIM], controller.signal);
    const queued = search(BACKTRACKING, [VICTIM], controller.signal);
    const outcomes = Promise.allSettled([running, queued]);
    controller.abort();
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { class: 'cancelled' } },
      { status: 'rejected', reason: { class: 'cancelled' } },
    ]);
  },
);

verifies('tools:filter', 'a flood of searches is refused with a time to come back', async () => {
  const search = createSearch({ clock: createFakeClock() });
  const controller = new AbortController();
  const flood = Array.from({ length: 20 }, () => search('a.b', LINES, controller.signal));
  const outcomes = Promise.allSettled(flood);
  controller.abort();
  const refused = (await outcomes).filter(
    (each) => each.status === 'rejected' && each.reason.class === 'over_capacity',
  );
  expect(refused).toHaveLength(12);
});
