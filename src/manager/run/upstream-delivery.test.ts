import { describe, expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import { verifies } from '../../../test/verifies.ts';
import type { LatencyTraits } from '../latencies.ts';
import type { PlannedModel } from '../route/plan.ts';
import { failing, LOCAL, planned, runToEnd, setUp } from './run-plan.fixture.ts';
import { fullAnswer, textEvents } from './scripted.fixture.ts';
import { upstreamDelivery } from './upstream-delivery.ts';

const QUICK = planned('glm', 'glm-4.7-flash', { thinking: { mode: 'off' } });

type Times = Partial<Record<LatencyTraits['delivery'], number>>;

function deliveryOf(
  times: Times | undefined,
  more: Partial<AskRequest> = {},
  candidate: PlannedModel = QUICK,
) {
  const request: AskRequest = {
    messages: [{ role: 'user', content: 'Who are you?' }],
    delivery: 'whole',
    ...more,
  };
  const latencies = times && {
    usualMs: (_: string, __: string, { delivery }: LatencyTraits) => times[delivery],
  };
  return upstreamDelivery(candidate, request, 12, { latencies });
}

describe('a caller that wants a whole answer gets it', () => {
  test('as a whole, where nothing is known', () => {
    expect(deliveryOf(undefined)).toBe('whole');
    expect(deliveryOf({})).toBe('whole');
    expect(deliveryOf({ stream: 400 })).toBe('whole');
  });

  verifies('ask:silence', 'from a stream, where answers usually take long', () => {
    expect(deliveryOf({ whole: 2400 })).toBe('whole');
    expect(deliveryOf({ whole: 2600 })).toBe('stream');
    expect(deliveryOf({ whole: 60_000 }, { maxOutputTokens: 4096 })).toBe('stream');
  });

  test('as a whole, where it is short by its limit', () => {
    expect(deliveryOf({ whole: 60_000 }, { maxOutputTokens: 256 })).toBe('whole');
  });

  test('as a whole from a server of which no stream was seen, and from the extractive fallback', () => {
    const own: PlannedModel = { ...QUICK, entry: { ...QUICK.entry, provider: 'custom' } };
    expect(deliveryOf({ whole: 60_000 }, {}, own)).toBe('whole');
    expect(deliveryOf({ whole: 60_000, stream: 400 }, {}, own)).toBe('stream');
    expect(deliveryOf({ whole: 60_000 }, {}, LOCAL)).toBe('whole');
  });
});

test('a caller that wants a stream gets a stream', () => {
  expect(deliveryOf({ whole: 100 }, { delivery: 'stream' })).toBe('stream');
});

verifies('ask:silence', 'the answer that was asked for as a stream is whole', async () => {
  const it = setUp({
    request: { delivery: 'whole' },
    listener: {},
    usualMs: 30_000,
    kimi: [fullAnswer('I am', ' Kimi.')],
  });
  expect(await runToEnd(it)).toMatchObject({ is: 'answered', text: 'I am Kimi.' });
  expect(it.providers.get('kimi')?.asked).toMatchObject([{ delivery: 'stream' }]);
});

const CUT_AFTER = 'A circuit breaker stands between a client and a service';
const REST = ' that may fail, and it counts failures.';
const LONG = { request: { delivery: 'whole' }, listener: {}, usualMs: 30_000 } as const;

verifies(
  'ask:silence',
  'an answer that breaks off in the stream is continued, not begun again',
  async () => {
    const it = setUp({
      ...LONG,
      kimi: [[...textEvents(CUT_AFTER), failing('network', 'Cut.')], fullAnswer(` service${REST}`)],
    });
    const outcome = await runToEnd(it);
    expect(outcome).toMatchObject({ is: 'answered', text: CUT_AFTER + REST });
    expect(outcome).toMatchObject({ seams: [{ provider: 'kimi' }] });
  },
);

test('where the continuation is another answer, the next model begins again, as nothing was shown', async () => {
  const first = 'A breaker counts all failures. It opens after too many';
  const cut = [...textEvents(`${first} of them, and`, ' then'), failing('network', 'Cut.')];
  const other = fullAnswer(`${first} errors. Then it waits for a while.`);
  const it = setUp({ ...LONG, kimi: [cut, other], glm: [fullAnswer('I am GLM.')] });
  const outcome = await runToEnd(it);
  expect(outcome).toMatchObject({ is: 'answered', text: 'I am GLM.', seams: [] });
});

test('a caller that wants no continuation gets an answer of one model', async () => {
  const cut = [...textEvents(CUT_AFTER), failing('network', 'Cut.')];
  const it = setUp({
    ...LONG,
    request: { delivery: 'whole', onInterruption: 'fail' },
    kimi: [cut, fullAnswer('I am Kimi.')],
  });
  expect(await runToEnd(it)).toMatchObject({ is: 'answered', text: 'I am Kimi.', seams: [] });
});
