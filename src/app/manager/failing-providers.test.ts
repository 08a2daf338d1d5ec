import { expect, test } from 'vitest';
import { reason } from '#core/messages/reasons.ts';
import type { AttemptRecord } from '#core/stores/calls.ts';
import type { BreakerView } from '#resilience/breaker-types.ts';
import { createFailingProviders } from './failing-providers.ts';

function attempt(provider: string, outcome: AttemptRecord['outcome']): AttemptRecord {
  return {
    reqId: 'req_1',
    attempt: 1,
    at: 0,
    provider,
    model: 'm',
    elapsedMs: 1,
    outcome,
    next: null,
    vendorRequestId: null,
  };
}

test('a provider fails from its last failed request until one is answered', () => {
  const failing = createFailingProviders({ all: () => [] });
  failing.record([attempt('glm', 'network'), attempt('kimi', 'auth')]);
  expect(failing.list()).toEqual([
    { provider: 'glm', errorClass: 'network' },
    { provider: 'kimi', errorClass: 'auth' },
  ]);
  failing.record([attempt('glm', 'ok')]);
  failing.forget('kimi');
  expect(failing.list()).toEqual([]);
});

test('a request that is at fault itself says nothing about its provider', () => {
  const failing = createFailingProviders({ all: () => [] });
  failing.record([attempt('glm', 'context_length'), attempt('kimi', 'content_filter')]);
  expect(failing.list()).toEqual([]);
});

test('accounts that were refused before a restart are listed, models that failed are not', () => {
  const view = (key: string): BreakerView => ({
    key,
    is: 'open',
    calls: 1,
    failures: 1,
    reason: reason('breaker_open', {
      key,
      how: 'at_once',
      classes: ['billing'],
      failures: 1,
      calls: 1,
      windowMs: 60_000,
      state: 'resting',
      retryInMs: 1000,
    }),
  });
  const closed: BreakerView = { key: 'kimi', is: 'closed', calls: 3, failures: 1 };
  const failing = createFailingProviders({ all: () => [view('glm'), view('glm/glm-5.3'), closed] });
  expect(failing.list()).toEqual([{ provider: 'glm', errorClass: 'billing' }]);
});
