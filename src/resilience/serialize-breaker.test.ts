import { expect, test } from 'vitest';
import type { Json } from '#core/json/json.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { MAX_BREAKERS, type BreakerChange } from './breakers.ts';
import { failTimes, K3, permit, RULES, createTestBreakers } from './breakers.fixture.ts';
import type { SavedBreaker } from './serialize-breaker.ts';
import { verifies } from '../../test/verifies.ts';

/** What a store would have of these changes. */
function savedFrom(changes: readonly BreakerChange[], updatedAt: number): SavedBreaker[] {
  const last = new Map(changes.map(({ key, state }) => [key, state]));
  return [...last].map(([key, state]) => ({
    key,
    state: JSON.parse(JSON.stringify(state)),
    updatedAt,
  }));
}

verifies(
  'breaker:restart',
  'a restart remembers the remaining cool-down and the number of trips',
  () => {
    const first = createTestBreakers();
    failTimes(first.breakers, 'timeout', 4);
    first.clock.advance(10_000);
    failTimes(first.breakers, 'timeout');
    const saved = savedFrom(first.changes, first.clock.now());
    first.clock.advance(4000);
    const second = createTestBreakers({ clock: first.clock, saved });
    expect(second.breakers.look(K3)).toEqual(first.breakers.look(K3));
    expect(second.breakers.look(K3)).toMatchObject({ is: 'open', retryInMs: 16_000 });
    first.clock.advance(16_000);
    failTimes(second.breakers, 'timeout');
    expect(second.changes.at(-1)?.coolOffMs).toBe(40_000);
  },
);

test('a probe that died with the process is tried again at once', () => {
  const { breakers, clock, changes } = createTestBreakers();
  failTimes(breakers, 'timeout', 4);
  clock.advance(10_000);
  permit(breakers);
  const again = createTestBreakers({ clock, saved: savedFrom(changes, clock.now()) });
  expect(again.breakers.look(K3)).toMatchObject({ is: 'half_open', retryInMs: 0 });
  failTimes(again.breakers, 'timeout');
  expect(again.changes.at(-1)?.coolOffMs).toBe(20_000);
});

verifies(
  'breaker:restart',
  'neither a changed clock nor changed rules lengthen a cool-down',
  () => {
    const { breakers, clock, changes } = createTestBreakers();
    failTimes(breakers, 'timeout', 4);
    const saved = savedFrom(changes, clock.now());
    const restored = (rules = RULES) =>
      createTestBreakers({ clock, saved, rules }).breakers.look(K3);
    clock.jump(-10 * 86_400_000);
    expect(restored()).toMatchObject({ is: 'open', retryInMs: 10_000 });
    expect(restored({ ...RULES, maxCoolOffMs: 5000 })).toMatchObject({
      is: 'open',
      retryInMs: 5000,
    });
    clock.jump(20 * 86_400_000);
    expect(restored()).toMatchObject({ is: 'half_open', retryInMs: 0 });
  },
);

test('invalid saved data gives a closed breaker', () => {
  const trouble = { how: 'window', class: 'timeout', calls: 4, failures: 4, classes: {} };
  const good = { is: 'open', leftMs: 9000, coolOffMs: 10_000, trips: 1, trouble };
  const hostile: Json[] = [
    null,
    7,
    'open',
    [],
    ['open'],
    {},
    { is: 'open' },
    { ...good, leftMs: '9000' },
    { ...good, leftMs: -1 },
    { ...good, leftMs: 1e300 },
    { ...good, leftMs: null },
    { ...good, trips: 1e9 },
    { ...good, trips: 0.5 },
    { ...good, is: 'constructor' },
    { ...good, trouble: null },
    { ...good, trouble: { ...trouble, class: '__proto__' } },
    { ...good, trouble: { ...trouble, class: 'toString' } },
    { ...good, trouble: { ...trouble, how: 'hasOwnProperty' } },
    { ...good, trouble: { ...trouble, calls: 1e300 } },
    { ...good, trouble: { ...trouble, classes: [] } },
    JSON.parse('{"__proto__": {"is": "open", "leftMs": 9000, "trips": 1}}') as Json,
    { is: 'closed', trips: 3, closedForMs: 'x' },
  ];
  for (const state of hostile) {
    const { breakers } = createTestBreakers({
      saved: [{ key: 'kimi/kimi-k3', state, updatedAt: Number.NaN }],
    });
    expect([JSON.stringify(state), breakers.look(K3).is]).toEqual([
      JSON.stringify(state),
      'closed',
    ]);
  }
  const odd = JSON.parse('{"__proto__": 3, "constructor": 4, "timeout": 5}') as Json;
  const state = { ...good, trouble: { ...trouble, classes: odd } };
  const { breakers } = createTestBreakers({
    saved: [{ key: 'kimi/kimi-k3', state, updatedAt: Number.NaN }],
  });
  expect(breakers.look(K3).reason).toMatchObject({
    params: { how: 'window', classes: ['timeout'], state: 'resting', retryInMs: 9000 },
  });
});

test('more saved states than there is room for leave the newest', () => {
  const clock = createFakeClock();
  const trouble = { how: 'at_once', class: 'rate_limit', calls: 1, failures: 1, classes: {} };
  const state = { is: 'open', leftMs: 100_000, coolOffMs: 100_000, trips: 0, trouble };
  const saved = Array.from({ length: 2000 }, (_, index) => ({
    key: `custom/${index}`,
    state,
    updatedAt: clock.now() - 2000 + index,
  }));
  const { breakers } = createTestBreakers({ clock, saved });
  expect(breakers.all()).toHaveLength(MAX_BREAKERS);
  expect(breakers.look({ provider: 'custom', model: '1999' }).is).toBe('open');
  expect(breakers.look({ provider: 'custom', model: '0' }).is).toBe('closed');
});
