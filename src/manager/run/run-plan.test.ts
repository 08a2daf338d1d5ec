import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { asked, failing, GLM, KIMI, planned, runToEnd, setUp } from './run-plan.fixture.ts';
import { END, fullAnswer, scripted, textEvents, type Script } from './scripted.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

describe('running a plan', () => {
  test('the first that answers is the answer', async () => {
    const set = setUp({});
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({
      is: 'answered',
      text: 'I am Kimi.',
      candidate: { model: 'kimi-k3' },
    });
    expect(set.ledger.attempts).toMatchObject([{ attempt: 1, outcome: 'ok' }]);
    expect(asked(set)).toEqual([1, 0, 0]);
    expect(set.heard.join('')).toBe('I am Kimi.');
  });

  verifies(
    'ask:chain',
    'a failure before the first token is not visible to the client',
    async () => {
      const set = setUp({ kimi: [[failing('quota', 'Nothing left.')]] });
      const ran = await runToEnd(set);
      expect(ran).toMatchObject({ is: 'answered', text: 'I am GLM.', seams: [] });
      expect(set.heard.join('')).toBe('I am GLM.');
      expect(set.ledger.attempts).toMatchObject([
        { attempt: 1, provider: 'kimi', outcome: 'quota', next: 'glm/glm-5.3' },
        { attempt: 2, provider: 'glm', outcome: 'ok' },
      ]);
      expect(ran.reasons).toContainEqual(
        reason('attempt_failed', {
          provider: 'kimi',
          model: 'kimi-k3',
          class: 'quota',
          next: { provider: 'glm', model: 'glm-5.3' },
        }),
      );
    },
  );

  test('a transient failure is retried once, then the next model is tried', async () => {
    const busy: Script = [failing('overloaded', 'Busy.')];
    const set = setUp({ kimi: [busy] });
    await runToEnd(set);
    expect(set.ledger.attempts.map(({ model, outcome }) => `${model} ${outcome}`)).toEqual([
      'kimi-k3 overloaded',
      'kimi-k3 overloaded',
      'glm-5.3 ok',
    ]);
  });

  test('a rate limit that ends at once is waited for', async () => {
    const limit = failing('rate_limit', 'Slow down.', { retryAfterMs: 1000 });
    const set = setUp({ kimi: [[limit], fullAnswer('Here I am.')] });
    expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: 'Here I am.' });
    expect(asked(set)).toEqual([2, 0, 0]);
  });

  verifies('ask:once', 'emitted text is continued, and nothing is emitted twice', async () => {
    const cut: Script = [
      ...textEvents('The quick brown ', 'fox jumps '),
      failing('network', 'Cut.'),
    ];
    const set = setUp({
      kimi: [cut, [failing('network', 'Still down.')]],
      glm: [fullAnswer('fox jumps over', ' the lazy dog.')],
    });
    const ran = await runToEnd(set);
    const whole = 'The quick brown fox jumps over the lazy dog.';
    expect(ran).toMatchObject({
      is: 'answered',
      text: whole,
      seams: [{ at: 19, model: 'glm-5.3' }],
    });
    expect(set.heard.join('')).toBe(whole);
    const [, again] = set.providers.get('kimi')?.asked ?? [];
    expect(again).toMatchObject({ continuation: 'prefix' });
    expect(again?.messages.at(-1)).toEqual({
      role: 'assistant',
      content: 'The quick brown fox',
    });
    const [other] = set.providers.get('glm')?.asked ?? [];
    expect(other?.messages.at(-1)).toMatchObject({ role: 'user' });
  });

  test('text that was not emitted is dropped, and another model starts afresh', async () => {
    const set = setUp({
      kimi: [[...textEvents('The quick '), failing('content_filter', 'Stopped.')]],
      listener: {},
    });
    expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: 'I am GLM.', seams: [] });
  });

  test('the extractive fallback does not continue an answer', async () => {
    const down = failing('auth', 'No.');
    const set = setUp({ kimi: [[...textEvents('The quick '), down]], glm: [[down]] });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({
      is: 'failed',
      error: { class: 'interrupted' },
      partial: 'The quick ',
    });
    expect(asked(set)).toEqual([1, 1, 0]);
  });

  test('JSON is emitted when it is complete, never in parts of two models', async () => {
    const set = setUp({
      kimi: [
        [...textEvents('{"a":'), failing('provider_error', 'Oops.')],
        fullAnswer('{"a":', '1}'),
      ],
      request: { responseFormat: { type: 'json' } },
    });
    expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: '{"a":1}' });
    expect(set.heard).toEqual(['{"a":1}']);
  });

  test('a prompt that was too long is fitted to the window that the vendor named', async () => {
    const long = failing('context_length', 'Too long.', { contextTokens: 4096 });
    const set = setUp({ kimi: [[long], fullAnswer('Short enough.')] });
    expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: 'Short enough.' });
    expect(set.fits).toEqual([undefined, 4096]);
  });

  test('a model whose breaker is open is skipped without a call', async () => {
    const set = setUp({});
    const acquired = set.breakers.tryAcquire({ provider: 'kimi', model: 'kimi-k3' });
    if (acquired.is === 'granted') acquired.permit.failure({ class: 'auth' });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({ is: 'answered', text: 'I am GLM.' });
    expect(asked(set)).toEqual([0, 1, 0]);
    expect(set.ledger.attempts).toHaveLength(1);
  });

  test('when no model answers, one error names them all', async () => {
    const set = setUp({
      kimi: [[failing('auth', 'No.', { provider: 'kimi', model: 'kimi-k3' })]],
      glm: [[failing('billing', 'Pay.', { provider: 'glm', model: 'glm-5.3' })]],
      candidates: [KIMI, GLM],
    });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({ is: 'failed', error: { class: 'exhausted_fallback_chain' } });
    expect(ran.is === 'failed' && ran.error.message).toContain('kimi-k3: auth, No.');
  });

  test('a chain of one fails with its own class', async () => {
    const set = setUp({ kimi: [[failing('auth', 'No.')]], candidates: [KIMI] });
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'auth' } });
  });

  test('a caller that leaves ends the run, and it counts against no model', async () => {
    const set = setUp({ kimi: [['silence']] });
    const ran = set.run();
    await new Promise((resolve) => setImmediate(resolve));
    set.controller.abort(new CallError('cancelled', 'The call was cancelled.'));
    expect(await ran).toMatchObject({ is: 'failed', error: { class: 'cancelled' } });
    expect(asked(set)).toEqual([1, 0, 0]);
    expect(set.breakers.look({ provider: 'kimi', model: 'kimi-k3' })).toMatchObject({
      is: 'closed',
      failures: 0,
    });
  });

  test('with a used-up budget only free models are left, or none', async () => {
    const stepping = setUp({ leftMicroUsd: 0 });
    expect(await runToEnd(stepping)).toMatchObject({
      is: 'answered',
      candidate: { provider: 'extractive' },
    });
    const refusing = setUp({ leftMicroUsd: 0, whenSpent: 'refuse' });
    expect(await runToEnd(refusing)).toMatchObject({ is: 'failed', error: { class: 'budget' } });
    expect(asked(refusing)).toEqual([0, 0, 0]);
  });

  test('every reservation is settled with the real cost, also of failed attempts', async () => {
    const set = setUp({ kimi: [[...textEvents('Half'), failing('auth', 'No.')]], listener: {} });
    await runToEnd(set);
    expect(set.settled).toHaveLength(2);
    expect(set.ledger.records().usage).toMatchObject([{ estimated: true }, { estimated: false }]);
  });

  test('a stream without a finish event, and a cancellation by the provider, are failures', async () => {
    const set = setUp({
      kimi: [textEvents('Half'), [failing('cancelled', 'Gone.')]],
      listener: {},
    });
    await runToEnd(set);
    expect(set.ledger.attempts.map(({ outcome }) => outcome)).toEqual([
      'interrupted',
      'network',
      'ok',
    ]);
  });

  verifies(
    'ask:crumbs',
    'each attempt is logged with its model, its outcome and the next model',
    async () => {
      const set = setUp({ kimi: [[failing('quota', 'Nothing left.')]] });
      await runToEnd(set);
      expect(set.crumbs.lines).toMatchObject([
        {
          event: 'attempt',
          fields: {
            req_id: 'req_1',
            tool: 'chat',
            attempt: 1,
            provider: 'kimi',
            outcome: 'quota',
            next: 'glm/glm-5.3',
          },
        },
        {
          event: 'attempt',
          fields: { attempt: 2, provider: 'glm', outcome: 'ok', input_tokens: 10 },
        },
      ]);
    },
  );

  test('a continuation that only repeats the text fails, and the next model is tried', async () => {
    const set = setUp({
      kimi: [[...textEvents('One should never '), failing('quota', 'Cut.')]],
      glm: [fullAnswer('One should ')],
      candidates: [KIMI, GLM],
    });
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
  });

  test('an answer interrupted at its very end is complete when no model adds anything', async () => {
    const set = setUp({
      kimi: [[...textEvents('2 + 3 is 5.'), failing('timeout', 'Silent.')]],
      glm: [END],
    });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({ is: 'answered', text: '2 + 3 is 5.', finish: 'stop' });
    expect(ran.notices).toEqual([notice('answer_looks_complete', { model: 'glm-5.3' })]);
  });

  test('an answer that repeats itself is continued only where words before that prove the place', async () => {
    const row = '0, 0, 0, 0, ';
    const outcomeOf = (continuation: string) =>
      runToEnd(
        setUp({
          kimi: [
            [...textEvents('Zeros: ', row), failing('network', 'Cut.')],
            fullAnswer(continuation, '1'),
          ],
          candidates: [KIMI],
        }),
      );
    const proven = await outcomeOf(`Zeros: ${row}${row}`);
    expect(proven).toMatchObject({ is: 'answered', text: `Zeros: ${row}${row}1` });
    expect(await outcomeOf(` 0, 0, ${row}`)).toMatchObject({
      is: 'failed',
      error: { class: 'interrupted' },
    });
  });

  test('an empty answer is a failure, however it ends', async () => {
    const set = setUp({ kimi: [END], candidates: [KIMI] });
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'empty_response' } });
  });

  test('a provider that ignores its signal is abandoned, and its reservation is settled', async () => {
    const set = setUp({ candidates: [KIMI], timeoutMs: 5000 });
    const deaf = set.providers.get('kimi');
    if (!deaf) throw new Error('there is no Kimi');
    deaf.chat = async function* () {
      yield { type: 'text', text: 'Half' };
      await new Promise(() => undefined);
    };
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', partial: 'Half' });
    expect(set.settled).toHaveLength(1);
  });

  test('a name that only its vendor could know, and does not, is a mistake and not an outage', async () => {
    const gone = failing('not_found', 'No such model.', { field: 'model' });
    const named = planned('openrouter', 'nosuch/thing');
    const set = setUp({ rule: 'explicit-model', candidates: [named, GLM] });
    set.providers.set('openrouter', scripted('openrouter', [[gone]]));
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'not_found' } });
    expect(asked(set)).toEqual([0, 0, 0, 1]);
    const view = set.breakers.look({ provider: 'openrouter', model: 'nosuch/thing' });
    expect(view.is).toBe('closed');
  });

  test('provider hosts are redacted from messages', async () => {
    const set = setUp({ kimi: [[failing('auth', 'api.example refused the key.')]] });
    await runToEnd(set);
    expect(set.ledger.attempts[0]?.because).toBe('Kimi refused the key.');
  });

  test('internal errors are logged, also when another model answers', async () => {
    const set = setUp({ kimi: [[failing('internal', 'Oops.', { cause: new TypeError('x') })]] });
    expect(await runToEnd(set)).toMatchObject({ is: 'answered' });
    expect(set.crumbs.lines.map(({ event }) => event)).toContain('provider_internal_error');
  });
});
