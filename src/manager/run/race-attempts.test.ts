import { describe, expect, test } from 'vitest';
import type { AttemptStart } from '#core/llm/stream-part.ts';
import { verifies } from '../../../test/verifies.ts';
import { asked, failing, GLM, KIMI, LOCAL, planned, runToEnd, setUp } from './run-plan.fixture.ts';
import { END, fullAnswer, textEvents } from './scripted.fixture.ts';

const SILENT = ['silence'] as const;
const AUTO = { hedge: 'auto', usualMs: 1000 } as const;

/** Runs it to its end; how long that took. */
async function timed(it: ReturnType<typeof setUp>) {
  const outcome = await runToEnd(it);
  return { outcome, ms: it.clock.monotonic(), attempts: it.ledger.attempts };
}

describe('a silent model', () => {
  verifies(
    'hedge:first_word',
    'the next provider is asked beside it after 5 seconds, its answer is the only one, and both are counted',
    async () => {
      const it = setUp({ ...AUTO, kimi: [SILENT], maxVendorCalls: 2 });
      const { outcome, ms, attempts } = await timed(it);
      expect(outcome).toMatchObject({ is: 'answered', text: 'I am GLM.' });
      expect(it.heard.join('')).toBe('I am GLM.');
      expect(asked(it)).toEqual([1, 1, 0]);
      expect(ms).toBeGreaterThanOrEqual(5000);
      expect(ms).toBeLessThan(5500);
      expect(attempts).toMatchObject([
        { attempt: 1, provider: 'kimi', outcome: 'timeout', next: 'glm/glm-5.3' },
        { attempt: 2, provider: 'glm', outcome: 'ok', hedge: true },
      ]);
      expect(attempts[0]?.because).toContain('glm/glm-5.3 answered first');
      expect(outcome.reasons.map(({ code }) => code)).toEqual(['asked_beside']);
      // The prompt of the cancelled request counts: its vendor may charge for it.
      const { usage } = it.ledger.records();
      expect(usage).toMatchObject([
        { provider: 'kimi', input: 12, output: 0, estimated: true },
        { provider: 'glm', input: 10, output: 5 },
      ]);
      expect(it.settled).toHaveLength(2);
      const logged = it.crumbs.lines.filter(({ event }) => event === 'attempt');
      expect(logged.map(({ fields }) => fields)).toMatchObject([
        { attempt: 1, hedge: undefined },
        { attempt: 2, hedge: true },
      ]);
    },
  );

  test('it is waited for twice its usual time, where that is longer', async () => {
    const it = setUp({ ...AUTO, usualMs: 4000, kimi: [SILENT] });
    const { ms } = await timed(it);
    expect(ms).toBeGreaterThanOrEqual(8000);
    expect(ms).toBeLessThan(8500);
  });

  test('it wins where it answers first after all, and the other is cancelled', async () => {
    const slow = ['wait 6000', ...fullAnswer('I am Kimi.')] as const;
    const it = setUp({ ...AUTO, kimi: [slow], glm: [SILENT] });
    const { outcome, attempts } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am Kimi.' });
    expect(attempts).toMatchObject([
      { attempt: 1, provider: 'kimi', outcome: 'ok' },
      { attempt: 2, provider: 'glm', outcome: 'cancelled', hedge: true },
    ]);
    expect(it.breakers.look({ provider: 'glm', model: 'glm-5.3' }).failures).toBe(0);
  });

  test('nothing of the later answer is emitted, however close it is', async () => {
    const slow = ['wait 5000', ...textEvents('I am', ' Kimi and', ' slow.'), ...END] as const;
    const it = setUp({ ...AUTO, kimi: [slow], glm: [fullAnswer('I am', ' GLM and', ' quick.')] });
    const { outcome } = await timed(it);
    const text = it.heard.join('');
    expect(['I am Kimi and slow.', 'I am GLM and quick.']).toContain(text);
    expect(outcome).toMatchObject({ is: 'answered', text });
  });

  test('its breaker counts the silence', async () => {
    const it = setUp({ ...AUTO, kimi: [SILENT] });
    await timed(it);
    expect(it.breakers.look({ provider: 'kimi', model: 'kimi-k3' }).failures).toBe(1);
  });

  test('a thought is a word', async () => {
    const thinking = [
      { type: 'reasoning', text: 'Hm.' },
      'wait 20000',
      ...fullAnswer('I am Kimi.'),
    ];
    const it = setUp({ ...AUTO, kimi: [thinking as never] });
    const { outcome } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am Kimi.' });
    expect(asked(it)).toEqual([1, 0, 0]);
  });
});

describe('an attempt that fails while others run', () => {
  test('the answer is that of the other one, and it is asked for only once', async () => {
    const breaks = ['wait 6000', failing('network', 'It broke.')] as const;
    const it = setUp({ ...AUTO, kimi: [breaks], glm: [['wait 3000', ...fullAnswer('I am GLM.')]] });
    const { outcome, attempts } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am GLM.' });
    expect(asked(it)).toEqual([1, 1, 0]);
    expect(attempts).toMatchObject([
      { attempt: 1, provider: 'kimi', outcome: 'network', next: 'glm/glm-5.3' },
      { attempt: 2, provider: 'glm', outcome: 'ok', hedge: true },
    ]);
  });

  test('a hedge that fails leaves the silent one its time', async () => {
    const slow = ['wait 9000', ...fullAnswer('I am Kimi.')] as const;
    const it = setUp({
      ...AUTO,
      kimi: [slow],
      glm: [[failing('provider_error', 'It is broken.')]],
    });
    const { outcome, attempts } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am Kimi.' });
    expect(attempts).toMatchObject([
      { attempt: 1, provider: 'kimi', outcome: 'ok' },
      { attempt: 2, provider: 'glm', outcome: 'provider_error', hedge: true },
    ]);
  });

  test('when both have failed, the candidates that are left follow', async () => {
    const breaks = ['wait 6000', failing('network', 'It broke.')] as const;
    const it = setUp({
      ...AUTO,
      kimi: [breaks],
      glm: [['wait 3000', failing('bad_response', 'Nonsense.')]],
    });
    const { outcome } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', candidate: { provider: 'extractive' } });
  });

  test('an answer that breaks off is continued, by the cancelled model too', async () => {
    const cut = [...textEvents('The write-ahead log'), failing('network', 'Cut.')];
    const it = setUp({
      ...AUTO,
      kimi: [SILENT, fullAnswer('The write-ahead log promises that.')],
      glm: [cut],
    });
    const { outcome } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'The write-ahead log promises that.' });
    expect(it.heard.join('')).toBe('The write-ahead log promises that.');
  });
});

describe('no other provider is asked', () => {
  const slow = ['wait 20000', ...fullAnswer('I am Kimi.')] as const;
  const cases = {
    'where hedging is off': { hedge: 'off' },
    'where the request names its model': { rule: 'explicit-model' },
    'where the caller wants no other model': { request: { fallback: 'none' } },
    'where no other provider is left': {
      candidates: [KIMI, planned('kimi', 'kimi-k2.6'), LOCAL],
    },
    'where the daily budget does not suffice': { budgetLeftMicroUsd: 99 },
    'where the limit of the request does not suffice': { request: { maxCostMicroUsd: 150 } },
    'where the request may make no further call': { maxVendorCalls: 1 },
    'where its prompt would have to be shortened': {
      candidates: [KIMI, { ...GLM, roomTokens: 5 }, LOCAL],
    },
  } as const satisfies Record<string, Parameters<typeof setUp>[0]>;
  test.each(Object.entries<Parameters<typeof setUp>[0]>(cases))('%s', async (_, setting) => {
    const it = setUp({ ...AUTO, kimi: [slow], ...setting });
    const { outcome, attempts } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am Kimi.' });
    expect(asked(it)).toEqual([1, 0, 0]);
    expect(attempts).toEqual([expect.objectContaining({ attempt: 1, outcome: 'ok' })]);
  });

  test('but with `on` also where the request names its model', async () => {
    const it = setUp({ ...AUTO, hedge: 'on', rule: 'explicit-model', kimi: [slow] });
    const { outcome } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am GLM.' });
  });
});

verifies(
  'hedge:first_word',
  'where every other breaker is open, one of them is asked by force',
  async () => {
    const it = setUp({
      ...AUTO,
      kimi: [SILENT],
      candidates: [KIMI, LOCAL],
      coolingDown: [GLM],
    });
    for (let failed = 0; failed < 20; failed += 1) {
      const acquired = it.breakers.tryAcquire({ provider: 'glm', model: 'glm-5.3' });
      if (acquired.is === 'granted') acquired.permit.failure({ class: 'provider_error' });
    }
    expect(it.breakers.look({ provider: 'glm', model: 'glm-5.3' }).is).toBe('open');
    const { outcome, ms } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am GLM.' });
    expect(ms).toBeLessThan(7000);
    expect(it.breakers.look({ provider: 'glm', model: 'glm-5.3' }).is).toBe('closed');
  },
);

describe('where several providers are silent', () => {
  const AGAIN = fullAnswer('I am Kimi again.');

  verifies(
    'hedge:given_up',
    'the first one is given up and asked again after twice the silence',
    async () => {
      const it = setUp({ ...AUTO, kimi: [SILENT, AGAIN], glm: [SILENT] });
      const { outcome, ms, attempts } = await timed(it);
      expect(outcome).toMatchObject({ is: 'answered', text: 'I am Kimi again.' });
      expect(asked(it)).toEqual([2, 1, 0]);
      expect(ms).toBeGreaterThanOrEqual(10_000);
      expect(ms).toBeLessThan(11_000);
      expect(attempts).toMatchObject([
        { attempt: 1, provider: 'kimi', outcome: 'timeout', next: 'glm/glm-5.3' },
        { attempt: 2, provider: 'glm', outcome: 'timeout', hedge: true },
        { attempt: 3, provider: 'kimi', outcome: 'ok', hedge: true },
      ]);
      expect(attempts[0]?.because).toBe('It sent nothing for 10.0 s and was cancelled.');
      // The vendors may charge for each prompt.
      expect(it.ledger.records().usage.map(({ input }) => input)).toEqual([12, 12, 10]);
      expect(it.breakers.look({ provider: 'glm', model: 'glm-5.3' }).failures).toBe(1);
      expect(it.clock.waiting).toBe(0);
    },
  );

  test('two are given up at most, and none beyond the limit of requests', async () => {
    const silent = { ...AUTO, kimi: [SILENT], glm: [SILENT], timeoutMs: 60_000 };
    const it = setUp({ ...silent, candidates: [KIMI, GLM] });
    const { outcome, ms } = await timed(it);
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'timeout' } });
    expect(ms).toBeLessThanOrEqual(61_000);
    const [kimi = 0, glm = 0] = asked(it);
    expect(kimi + glm).toBe(4);
    const few = setUp({ ...silent, candidates: [KIMI, GLM], maxVendorCalls: 2 });
    await timed(few);
    expect(asked(few)).toEqual([1, 1, 0]);
  });

  test('one that waits for a slot keeps none from being asked again', async () => {
    const queued = ['queue 80000', ...fullAnswer('I am GLM.')] as const;
    const it = setUp({ ...AUTO, kimi: [SILENT, AGAIN], glm: [queued] });
    const { outcome, ms } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am Kimi again.' });
    expect(ms).toBeLessThan(11_000);
    // It was never sent.
    expect(it.breakers.look({ provider: 'glm', model: 'glm-5.3' }).failures).toBe(0);
    expect(it.ledger.records().usage).toHaveLength(2);
  });
});

verifies(
  'hedge:queued',
  'a request in the queue of a provider that is silent for others is asked of the next one',
  async () => {
    const queued = ['queue 80000', ...fullAnswer('I am Kimi.')] as const;
    const it = setUp({ ...AUTO, kimi: [queued] });
    for (let others = 0; others < 6; others += 1) it.silences.waitFor('kimi', 500, 'measured');
    const { outcome, ms } = await timed(it);
    expect(outcome).toMatchObject({ is: 'answered', text: 'I am GLM.' });
    expect(ms).toBeLessThan(2000);
    expect(it.breakers.look({ provider: 'kimi', model: 'kimi-k3' }).failures).toBe(0);
  },
);

test('a request in the queue of a busy provider is not asked of another', async () => {
  const queued = ['queue 20000', ...fullAnswer('I am Kimi.')] as const;
  const it = setUp({ ...AUTO, kimi: [queued] });
  const { outcome } = await timed(it);
  expect(outcome).toMatchObject({ is: 'answered', text: 'I am Kimi.' });
  expect(asked(it)).toEqual([1, 0, 0]);
});

test('a model that was never measured is hedged sooner where its provider is silent for others', async () => {
  const it = setUp({ hedge: 'auto', kimi: [SILENT] });
  for (let others = 0; others < 6; others += 1) it.silences.waitFor('kimi', 500, 'measured');
  const { outcome, ms } = await timed(it);
  expect(outcome).toMatchObject({ is: 'answered', text: 'I am GLM.' });
  expect(ms).toBeLessThan(2000);
  const alone = setUp({ hedge: 'auto', kimi: [SILENT] });
  expect((await timed(alone)).ms).toBeGreaterThanOrEqual(15_000);
});

test('a caller who leaves ends both requests', async () => {
  const leave = () => it.controller.abort(failing('cancelled', 'Gone.'));
  const listener = {
    onAsked: ({ provider }: AttemptStart) =>
      void (provider === 'glm' && it.clock.after(100, leave)),
  };
  const it = setUp({ ...AUTO, kimi: [SILENT], glm: [SILENT], listener });
  const outcome = await runToEnd(it);
  expect(asked(it)).toEqual([1, 1, 0]);
  expect(outcome).toMatchObject({ is: 'failed', error: { class: 'cancelled' } });
  expect(it.clock.waiting).toBe(0);
  for (const model of ['kimi/kimi-k3', 'glm/glm-5.3']) {
    const [provider = '', id = ''] = model.split('/');
    expect(it.breakers.look({ provider, model: id }).failures).toBe(0);
  }
});
