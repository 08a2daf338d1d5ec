import { expect } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { FORCED_PAUSE_MS } from './breaker.ts';
import { createBreakers, DEFAULT_RULES } from './breakers.ts';

const TARGET = { provider: 'kimi', model: 'kimi-k3' };
const RULES = {
  ...DEFAULT_RULES,
  windowMs: 60_000,
  minCalls: 1,
  failurePercent: 50,
  coolOffMs: 10_000,
  maxCoolOffMs: 300_000,
};

function opened() {
  const clock = createFakeClock();
  const breakers = createBreakers({ clock, random: (n) => new Uint8Array(n), rules: RULES });
  const first = breakers.tryAcquire(TARGET);
  if (first.is === 'granted') first.permit.failure({ class: 'provider_error' });
  const forced = () => {
    const acquired = breakers.tryAcquire(TARGET, 'forced');
    if (acquired.is === 'refused') throw new Error('refused');
    return acquired.permit;
  };
  return { clock, breakers, forced };
}

verifies('breaker:forced', 'one forced probe at a time, however many calls want one', () => {
  const { breakers, forced } = opened();
  expect(breakers.tryAcquire(TARGET).is).toBe('refused');
  const permit = forced();
  for (let times = 0; times < 100; times += 1)
    expect(breakers.tryAcquire(TARGET, 'forced')).toMatchObject({
      is: 'refused',
      isForcible: true,
      retryInMs: FORCED_PAUSE_MS,
    });
  permit.success();
  expect(breakers.tryAcquire(TARGET).is).toBe('granted');
});

verifies('breaker:forced', 'a failed one leaves the cool-down as it is and begins a pause', () => {
  const { breakers, clock, forced } = opened();
  const before = breakers.look(TARGET).retryInMs;
  forced().failure({ class: 'provider_error' });
  expect(breakers.look(TARGET)).toMatchObject({ is: 'open', retryInMs: before });
  expect(breakers.tryAcquire(TARGET, 'forced').is).toBe('refused');
  clock.advance(FORCED_PAUSE_MS);
  forced().cancel();
  // A call that learned nothing costs no pause.
  forced().success();
  expect(breakers.look(TARGET).is).toBe('closed');
});

verifies('breaker:forced', 'a vendor that says when to come back is not forced again', () => {
  const { breakers, forced } = opened();
  forced().failure({ class: 'rate_limit', retryAfterMs: 60_000 });
  expect(breakers.look(TARGET)).toMatchObject({ retryInMs: 60_000, isForcible: false });
  expect(breakers.tryAcquire(TARGET, 'forced')).toMatchObject({ isForcible: false });
});
