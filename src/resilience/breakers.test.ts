import { expect, test } from 'vitest';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { ERROR_CLASSES, ERROR_POLICY } from '#core/errors/error-class.ts';
import { MAX_BREAKERS } from './breakers.ts';
import { failTimes, K2, K3, permit, RULES, createTestBreakers } from './breakers.fixture.ts';
import { verifies } from '../../test/verifies.ts';

function textOf(view: { readonly reason?: Reason } | undefined): string {
  return view?.reason ? baseRenderer.reason(view.reason) : '';
}

verifies(
  'breaker:rules',
  'a model that fails half of its requests is not called, and the reason is given',
  () => {
    const { breakers, changes } = createTestBreakers();
    permit(breakers).success();
    failTimes(breakers, 'timeout', 2);
    expect(breakers.look(K3)).toEqual({ key: 'kimi/kimi-k3', is: 'closed', calls: 3, failures: 2 });
    failTimes(breakers, 'provider_error');
    const why = reason('breaker_open', {
      key: 'kimi/kimi-k3',
      how: 'window',
      classes: ['timeout', 'provider_error'],
      failures: 3,
      calls: 4,
      windowMs: 60_000,
      state: 'resting',
      retryInMs: 10_000,
    });
    expect(baseRenderer.reason(why)).toBe(
      'kimi/kimi-k3 failed 3 of 4 requests within a minute (timeout, provider_error); next try in 10 s',
    );
    expect(breakers.tryAcquire(K3)).toMatchObject({
      is: 'refused',
      reason: why,
      retryInMs: 10_000,
    });
    expect(breakers.tryAcquire(K2).is).toBe('granted');
    expect(breakers.all()).toEqual([
      { key: 'kimi/kimi-k3', is: 'open', reason: why, retryInMs: 10_000, calls: 4, failures: 3 },
    ]);
    expect(changes).toEqual([
      {
        key: 'kimi/kimi-k3',
        from: 'closed',
        to: 'open',
        reason: why,
        calls: 4,
        failures: 3,
        classes: { timeout: 2, provider_error: 1 },
        coolOffMs: 10_000,
        state: {
          is: 'open',
          leftMs: 10_000,
          coolOffMs: 10_000,
          trips: 1,
          trouble: {
            how: 'window',
            class: 'provider_error',
            calls: 4,
            failures: 3,
            classes: { timeout: 2, provider_error: 1 },
          },
        },
      },
    ]);
  },
);

test('too few requests, too few failures and failures of long ago do not open it', () => {
  const { breakers, clock } = createTestBreakers();
  failTimes(breakers, 'network', 3);
  clock.advance(60_000);
  failTimes(breakers, 'network', 3);
  for (let turn = 0; turn < 4; turn++) permit(breakers).success();
  expect(breakers.look(K3)).toMatchObject({ is: 'closed', calls: 7, failures: 3 });
  expect(breakers.all()).toHaveLength(1);
  clock.advance(60_000);
  expect(breakers.all()).toEqual([]);
});

verifies(
  'breaker:rules',
  'after the cool-down one probe at a time is admitted, and its success closes the breaker',
  () => {
    const { breakers, clock, transitions } = createTestBreakers();
    failTimes(breakers, 'overloaded', 4);
    clock.advance(9998.5);
    // Whole milliseconds, also in the reason.
    expect(breakers.tryAcquire(K3)).toMatchObject({
      is: 'refused',
      retryInMs: 2,
      reason: { params: { retryInMs: 2 } },
    });
    clock.advance(1.5);
    expect(breakers.look(K3)).toMatchObject({ is: 'half_open', retryInMs: 0 });
    expect(transitions()).toEqual(['kimi/kimi-k3 open']);
    const probe = permit(breakers);
    expect(breakers.tryAcquire(K3)).toMatchObject({
      is: 'refused',
      reason: { params: { failures: 4, calls: 4, classes: ['overloaded'], state: 'probing' } },
      retryInMs: 10_000,
    });
    probe.cancel();
    expect(breakers.look(K3)).toMatchObject({ is: 'half_open', retryInMs: 0 });
    permit(breakers).success();
    expect(breakers.look(K3)).toEqual({ key: 'kimi/kimi-k3', is: 'closed', calls: 0, failures: 0 });
    expect(transitions()).toEqual([
      'kimi/kimi-k3 open',
      'kimi/kimi-k3 half_open',
      'kimi/kimi-k3 closed',
    ]);
  },
);

verifies(
  'breaker:rules',
  'each failed probe doubles the cool-down up to its limit, and two quiet windows reset it',
  () => {
    const { breakers, clock, changes } = createTestBreakers();
    failTimes(breakers, 'timeout', 4);
    for (let turn = 0; turn < 6; turn++) {
      clock.advance(300_000);
      failTimes(breakers, 'timeout');
    }
    const rests = () => changes.flatMap(({ coolOffMs }) => coolOffMs ?? []);
    expect(rests()).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    expect(textOf(changes.at(-1))).toBe(
      'kimi/kimi-k3 failed again when it was tried (timeout); next try in 5 min',
    );
    clock.advance(300_000);
    permit(breakers).success();
    clock.advance(119_999);
    failTimes(breakers, 'timeout', 4);
    expect(rests().at(-1)).toBe(300_000);
    clock.advance(300_000);
    permit(breakers).success();
    clock.advance(120_000);
    failTimes(breakers, 'timeout', 4);
    expect(rests().at(-1)).toBe(10_000);
  },
);

test('a cool-down has 20 % jitter, and never exceeds its limit', () => {
  const restsOf = (fill: number) => {
    const { breakers, clock, changes } = createTestBreakers({
      random: (n) => new Uint8Array(n).fill(fill),
    });
    failTimes(breakers, 'timeout', 4);
    for (let turn = 0; turn < 6; turn++) {
      clock.advance(300_000);
      failTimes(breakers, 'timeout');
    }
    return changes.flatMap(({ coolOffMs }) => coolOffMs ?? []);
  };
  expect(restsOf(0)).toEqual([8000, 16_000, 32_000, 64_000, 128_000, 240_000, 240_000]);
  expect(restsOf(255)).toEqual([12_000, 24_000, 48_000, 96_000, 192_000, 300_000, 300_000]);
});

test.each([
  ['auth', 'kimi: its key was refused (auth); next try in 60 s'],
  ['billing', 'kimi: it requires payment (billing); next try in 60 s'],
  ['quota', 'kimi: the allowance of the account is used up (quota); next try in 60 s'],
] as const)('%s rests the whole account at once, and longer each time', (errorClass, text) => {
  const { breakers, clock, transitions, changes } = createTestBreakers();
  failTimes(breakers, errorClass);
  expect(breakers.tryAcquire(K2)).toMatchObject({ is: 'refused', retryInMs: 60_000 });
  expect(textOf(breakers.look(K2))).toBe(text);
  expect(breakers.look(K2)).toMatchObject({ key: 'kimi', is: 'open', calls: 1, failures: 1 });
  expect(breakers.tryAcquire({ provider: 'glm', model: 'kimi-k3' }).is).toBe('granted');
  clock.advance(60_000);
  failTimes(breakers, errorClass);
  expect(changes.at(-1)?.coolOffMs).toBe(120_000);
  clock.advance(120_000);
  permit(breakers, K2).success();
  expect(breakers.look(K3).is).toBe('closed');
  expect(transitions()).toEqual(
    ['open', 'half_open', 'open', 'half_open', 'closed'].map((is) => `kimi ${is}`),
  );
});

test('an account’s cool-down follows a longer Retry-After, up to the limit', () => {
  const { breakers, clock } = createTestBreakers();
  permit(breakers).failure({ class: 'quota', retryAfterMs: 90_000 });
  expect(breakers.look(K3).retryInMs).toBe(90_000);
  clock.advance(90_000);
  permit(breakers).failure({ class: 'quota', retryAfterMs: 86_400_000 });
  expect(breakers.look(K3).retryInMs).toBe(300_000);
});

test('a failure that says nothing about the key frees its probe’s slot', () => {
  const { breakers, clock, transitions } = createTestBreakers();
  failTimes(breakers, 'auth');
  clock.advance(60_000);
  failTimes(breakers, 'timeout');
  expect(breakers.look(K3)).toMatchObject({ key: 'kimi', is: 'half_open', retryInMs: 0 });
  permit(breakers, K2).success();
  expect(transitions()).toEqual(['kimi open', 'kimi half_open', 'kimi closed']);
  expect(breakers.look(K3)).toMatchObject({ calls: 1, failures: 1 });
});

test('neither breaker uses up a probe slot when the other refuses', () => {
  const { breakers, clock } = createTestBreakers();
  failTimes(breakers, 'timeout', 4);
  const late = permit(breakers, K2);
  clock.advance(5000);
  late.failure({ class: 'auth' });
  clock.advance(5000);
  expect(breakers.tryAcquire(K3)).toMatchObject({ is: 'refused', retryInMs: 55_000 });
  clock.advance(55_000);
  permit(breakers).success();
  expect(breakers.look(K3).is).toBe('closed');
  expect(breakers.look(K2).is).toBe('closed');
});

test.each([
  [20_000, 20_000],
  [undefined, 1000],
  [0, 0],
  [Number.NaN, 1000],
  [-5, 1000],
  [1e300, 300_000],
])('after a 429 with %s ms the model cools down for %i ms', (retryAfterMs, coolOffMs) => {
  const { breakers, changes } = createTestBreakers();
  permit(breakers).failure({ class: 'rate_limit', retryAfterMs });
  expect(changes).toMatchObject([{ key: 'kimi/kimi-k3', to: 'open', coolOffMs }]);
  expect(breakers.tryAcquire(K2).is).toBe('granted');
});

verifies(
  'breaker:rules',
  'a 429 does not lengthen later cool-downs, but a probe that gets one again does',
  () => {
    const { breakers, clock, changes } = createTestBreakers();
    const slowDown = () => permit(breakers).failure({ class: 'rate_limit', retryAfterMs: 2000 });
    const rests = () => changes.flatMap(({ coolOffMs }) => coolOffMs ?? []);
    slowDown();
    expect(textOf(changes[0])).toBe(
      'kimi/kimi-k3 asked to slow down (rate_limit); next try in 2 s',
    );
    clock.advance(2000);
    permit(breakers).success();
    slowDown();
    expect(rests()).toEqual([2000, 2000]);
    clock.advance(2000);
    slowDown();
    clock.advance(10_000);
    slowDown();
    clock.advance(20_000);
    permit(breakers).failure({ class: 'rate_limit', retryAfterMs: 90_000 });
    expect(rests()).toEqual([2000, 2000, 10_000, 20_000, 90_000]);
  },
);

test('a model that its vendor no longer has gets the longest cool-down', () => {
  const { breakers } = createTestBreakers();
  failTimes(breakers, 'not_found');
  expect(breakers.look(K3)).toMatchObject({ is: 'open', retryInMs: 300_000 });
  expect(textOf(breakers.look(K3))).toBe(
    'kimi/kimi-k3: the provider no longer has this model (not_found); next try in 5 min',
  );
});

verifies('breaker:rules', 'a failure that is the caller’s fault is not counted', () => {
  const { breakers, clock } = createTestBreakers();
  const ignored = ERROR_CLASSES.filter(
    (name) => ERROR_POLICY[name].breaker === 'ignore' && name !== 'not_found',
  );
  for (const name of ignored) failTimes(breakers, name, 10);
  expect(breakers.all()).toEqual([]);
  expect(breakers.look(K3).calls).toBe(0);
  failTimes(breakers, 'timeout', 4);
  clock.advance(10_000);
  failTimes(breakers, 'context_length');
  expect(breakers.look(K3)).toMatchObject({ is: 'half_open', retryInMs: 0 });
});

test('a call from before it opened neither closes nor reopens it', () => {
  const { breakers, clock, transitions } = createTestBreakers();
  const old = Array.from({ length: 5 }, () => permit(breakers));
  failTimes(breakers, 'timeout', 4);
  old[0]?.success();
  old[1]?.failure({ class: 'rate_limit', retryAfterMs: 250_000 });
  expect(breakers.look(K3)).toMatchObject({ is: 'open', retryInMs: 10_000 });
  clock.advance(10_000);
  const probe = permit(breakers);
  old[2]?.success();
  old[3]?.failure({ class: 'timeout' });
  expect(breakers.look(K3).is).toBe('half_open');
  probe.success();
  old[4]?.failure({ class: 'timeout' });
  expect(breakers.look(K3)).toMatchObject({ is: 'closed', calls: 1, failures: 1 });
  expect(transitions()).toHaveLength(3);
});

test('only the first result of a permit counts', () => {
  const { breakers } = createTestBreakers();
  for (let turn = 0; turn < 4; turn++) {
    const one = permit(breakers);
    one.success();
    one.failure({ class: 'timeout' });
    one.cancel();
  }
  expect(breakers.look(K3)).toMatchObject({ is: 'closed', calls: 4, failures: 0 });
});

test('a probe without a result fails when its lease ends', () => {
  const { breakers, clock, transitions } = createTestBreakers();
  failTimes(breakers, 'timeout', 4);
  clock.advance(10_000);
  const lost = permit(breakers);
  clock.advance(599_999);
  expect(breakers.tryAcquire(K3)).toMatchObject({ is: 'refused', retryInMs: 1 });
  clock.advance(1);
  expect(breakers.look(K3)).toMatchObject({ is: 'open', retryInMs: 20_000 });
  lost.success();
  expect(breakers.look(K3)).toMatchObject({ is: 'open', retryInMs: 20_000 });
  clock.advance(20_000);
  permit(breakers).success();
  expect(transitions().map((line) => line.split(' ')[1])).toEqual([
    'open',
    'half_open',
    'open',
    'half_open',
    'closed',
  ]);
});

test('a listener that throws, or acquires a permit itself, breaks nothing', () => {
  const asked: string[] = [];
  const { breakers, clock } = createTestBreakers({
    onChange({ to }) {
      asked.push(`${to}: ${breakers.tryAcquire(K3).is}`);
      throw new Error('The disk is full.');
    },
  });
  failTimes(breakers, 'timeout', 4);
  clock.advance(10_000);
  permit(breakers).success();
  expect(asked).toEqual(['open: refused', 'half_open: refused', 'closed: granted']);
});

test('as many probes as the rules say are admitted, and one success is enough', () => {
  const { breakers, clock } = createTestBreakers({ rules: { ...RULES, probes: 2 } });
  failTimes(breakers, 'timeout', 4);
  clock.advance(10_000);
  const probes = [permit(breakers), permit(breakers)];
  expect(breakers.tryAcquire(K3).is).toBe('refused');
  probes[0]?.success();
  probes[1]?.failure({ class: 'timeout' });
  expect(breakers.look(K3)).toMatchObject({ is: 'closed', calls: 1, failures: 1 });
});

test('an endless number of names is bounded, and those without failures are evicted first', () => {
  const { breakers, clock, transitions } = createTestBreakers();
  failTimes(breakers, 'timeout', 4);
  failTimes(breakers, 'timeout', 1, K2);
  for (let turn = 0; turn < 3 * MAX_BREAKERS; turn++) {
    clock.advance(1);
    permit(breakers, { provider: 'custom', model: `__proto__${turn}` }).success();
  }
  expect(breakers.all().map(({ key }) => key)).toEqual(['kimi/kimi-k2', 'kimi/kimi-k3']);
  for (let turn = 0; turn < MAX_BREAKERS; turn++) {
    clock.advance(1);
    failTimes(breakers, 'rate_limit', 1, { provider: 'custom', model: `${turn}` });
  }
  expect(breakers.all()).toHaveLength(MAX_BREAKERS);
  expect(transitions()).toContain('kimi/kimi-k3 closed');
  expect(breakers.tryAcquire(K3).is).toBe('granted');
});

test('a very long name with control characters is shown as one short line, and still has its breaker', () => {
  const { breakers } = createTestBreakers();
  const asked = { provider: 'custom', model: `a\n\u001b[31m${'x'.repeat(1_000_000)}` };
  failTimes(breakers, 'timeout', 4, asked);
  const view = breakers.look(asked);
  expect(view.key).toHaveLength(256);
  expect(textOf(view).length).toBeLessThan(250);
  expect(textOf(view)).not.toMatch(/\p{Cc}/u);
  expect(breakers.tryAcquire(asked).is).toBe('refused');
});
