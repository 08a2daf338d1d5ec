import { expect, test } from 'vitest';
import { createTestBreakers, K3, RULES } from './breakers.fixture.ts';

test('breakers of a replaced account are gone, and late results of the old one are ignored', () => {
  const { breakers, transitions } = createTestBreakers();
  const permit = () => {
    const acquired = breakers.tryAcquire(K3);
    if (acquired.is !== 'granted') throw new Error('refused');
    return acquired.permit;
  };
  const [first, late] = [permit(), permit()];
  first.failure({ class: 'auth' });
  expect(breakers.look(K3).is).toBe('open');
  breakers.forget('kimi');
  expect(breakers.look(K3).is).toBe('closed');
  late.failure({ class: 'auth' });
  expect(breakers.look(K3).is).toBe('closed');
  expect(transitions()).toEqual(['kimi open', 'kimi closed']);
  permit().failure({ class: 'auth' });
  expect(breakers.look(K3).is).toBe('open');
});

test('changed rules judge breakers that exist', () => {
  const { breakers } = createTestBreakers();
  const fail = () => {
    const acquired = breakers.tryAcquire(K3);
    if (acquired.is === 'granted') acquired.permit.failure({ class: 'overloaded' });
  };
  fail();
  fail();
  expect(breakers.look(K3).is).toBe('closed');
  breakers.changeRules({ ...RULES, minCalls: 1 });
  fail();
  expect(breakers.look(K3).is).toBe('open');
});
