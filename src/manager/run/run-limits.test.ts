import { describe, expect } from 'vitest';
import { reason } from '#core/messages/reasons.ts';
import { RULES } from './deps.fixture.ts';
import { asked, failing, GLM, KIMI, runToEnd, setUp } from './run-plan.fixture.ts';
import { END, type Script } from './scripted.fixture.ts';
import { createVendorCallCounters } from './vendor-calls.ts';
import { verifies } from '../../../test/verifies.ts';

describe('the limit of requests to vendors', () => {
  verifies('ask:calls', 'ends a run, and the extractive fallback may still answer', async () => {
    const failure: Script = [failing('provider_error', 'Broken.')];
    const set = setUp({ kimi: [failure], glm: [failure], maxVendorCalls: 3 });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({ is: 'answered', candidate: { isLastResort: true } });
    expect(asked(set)).toEqual([2, 1, 1]);
    expect(ran.reasons).toContainEqual(reason('vendor_calls_used_up', { max: 3 }));
  });

  verifies('ask:calls', 'is the reason of the error', async () => {
    const failure: Script = [failing('provider_error', 'Broken.')];
    const candidates = [KIMI, GLM];
    const set = setUp({ kimi: [failure], glm: [failure], maxVendorCalls: 3, candidates });
    expect(await runToEnd(set)).toMatchObject({
      is: 'failed',
      error: { reason: { code: 'no_model_answered', params: { vendorCalls: 3 } } },
    });
    expect(asked(set)).toEqual([2, 1, 0]);
  });
});

describe('a call of a tool that the request does not have', () => {
  const call: Script = [
    { type: 'tool_call', index: 0, id: 'c1', name: 'erase', arguments: '{}' },
    ...END,
  ];

  verifies('gateway:callable', 'is asked for once more, then the next model', async () => {
    const set = setUp({ kimi: [call], candidates: [KIMI, GLM] });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({ is: 'answered', text: 'I am GLM.', answer: { toolCalls: [] } });
    expect(asked(set)).toEqual([2, 1, 0]);
    expect(set.breakers.all().every(({ is }) => is === 'closed')).toBe(true);
  });
});

describe('the choices of a request', () => {
  const counters = (max: number, count: number) => {
    const all = createVendorCallCounters(max);
    const choices = { count };
    return Array.from({ length: count }, () => all.of({ choices }));
  };

  verifies('ask:calls', 'share its limit, and each has one call', () => {
    const [first, second, third] = counters(6, 3);
    let made = 0;
    while (first && first.left > 0) {
      first.count();
      made += 1;
    }
    expect(made).toBe(4);
    expect([second?.left, third?.left]).toEqual([1, 1]);
    second?.count();
    third?.count();
    expect([first?.left, second?.left, third?.left]).toEqual([0, 0, 0]);
  });

  verifies('ask:calls', 'make one call each where there are more of them', () => {
    const all = counters(2, 4);
    for (const each of all) {
      expect(each.left).toBe(1);
      each.count();
    }
    expect(all.map(({ left }) => left)).toEqual([0, 0, 0, 0]);
  });
});

describe('when every breaker is open', () => {
  function openAll({ breakers }: ReturnType<typeof setUp>): void {
    for (const { provider, model } of [GLM, KIMI])
      for (let times = 0; times < RULES.minCalls; times += 1) {
        const acquired = breakers.tryAcquire({ provider, model });
        if (acquired.is === 'granted') acquired.permit.failure({ class: 'provider_error' });
      }
  }

  verifies(
    'breaker:forced',
    'the shortest cool-down is tried, and a success closes it',
    async () => {
      const set = setUp({ candidates: [KIMI, GLM] });
      openAll(set);
      expect(await runToEnd(set)).toMatchObject({ is: 'answered' });
      const [kimi = 0, glm = 0] = asked(set);
      expect(kimi + glm).toBe(1);
      expect(set.breakers.all().filter(({ is }) => is === 'open')).toHaveLength(1);
    },
  );

  verifies(
    'breaker:forced',
    'each provider is tried once, and a failure is no longer rest',
    async () => {
      const failure: Script = [failing('provider_error', 'Broken.')];
      const set = setUp({ candidates: [KIMI, GLM], kimi: [failure], glm: [failure] });
      openAll(set);
      const before = set.breakers.all().map(({ retryInMs }) => retryInMs);
      expect(await runToEnd(set)).toMatchObject({ is: 'failed' });
      expect(asked(set)).toEqual([1, 1, 0]);
      set.breakers.all().forEach(({ retryInMs = 0 }, index) => {
        expect(retryInMs).toBeLessThanOrEqual(before[index] ?? 0);
      });
    },
  );

  verifies('breaker:forced', 'a refused key and a rate limit are never forced', async () => {
    const set = setUp({ candidates: [KIMI, GLM] });
    for (const [{ provider, model }, errorClass] of [
      [KIMI, 'auth'],
      [GLM, 'rate_limit'],
    ] as const) {
      const acquired = set.breakers.tryAcquire({ provider, model });
      if (acquired.is === 'granted')
        acquired.permit.failure({ class: errorClass, retryAfterMs: 60_000 });
    }
    expect(await runToEnd(set)).toMatchObject({ is: 'failed' });
    expect(asked(set)).toEqual([0, 0, 0]);
  });
});
