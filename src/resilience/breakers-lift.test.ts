import { expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createTestBreakers, failTimes, K2, K3, permit } from './breakers.fixture.ts';

const GLM = { provider: 'glm', model: 'glm-5' };

verifies('keys:lift', 'an account that works again is used at once, and others still wait', () => {
  const { breakers, transitions } = createTestBreakers();
  permit(breakers, K3).failure({ class: 'auth' });
  permit(breakers, GLM).failure({ class: 'billing' });
  expect(breakers.tryAcquire(K2).is).toBe('refused');
  expect(breakers.lift('kimi')).toEqual(['kimi']);
  expect(breakers.tryAcquire(K2).is).toBe('granted');
  expect(breakers.tryAcquire(GLM).is).toBe('refused');
  // Saved like any other change.
  expect(transitions()).toEqual(['kimi open', 'glm open', 'kimi closed']);
  expect(breakers.lift('kimi')).toEqual([]);
  expect(breakers.lift('nobody')).toEqual([]);
});

verifies('keys:lift', 'models are lifted only from what an accepted key disproves', () => {
  const { breakers } = createTestBreakers();
  permit(breakers, K2).failure({ class: 'rate_limit', retryAfterMs: 60_000 });
  failTimes(breakers, 'network', 4);
  expect(breakers.lift('kimi')).toEqual(['kimi/kimi-k3']);
  expect(breakers.tryAcquire(K3).is).toBe('granted');
  expect(breakers.tryAcquire(K2).is).toBe('refused');
});

verifies('keys:lift', 'a refusal soon after lengthens the next cool-down', () => {
  const { breakers } = createTestBreakers();
  permit(breakers, K3).failure({ class: 'auth' });
  const first = breakers.look(K3).retryInMs ?? 0;
  breakers.lift('kimi');
  permit(breakers, K3).failure({ class: 'auth' });
  expect(breakers.look(K3).retryInMs).toBe(2 * first);
});
