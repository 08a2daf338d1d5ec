import { describe, expect, test } from 'vitest';
import { groupModels } from './model-groups.ts';
import { notice, type Notice } from './notices.ts';
import { REASON_SAMPLES } from './reason-samples.fixture.ts';
import { isReason, reason, type Reason } from './reasons.ts';
import { baseRenderer } from './render.ts';
import { ROUTING_NOTICE_SAMPLES } from './routing-notice-samples.fixture.ts';
import { asSentence } from './sentence.ts';

/** Signs of a value that was not there, or of an object that was taken for a text. */
const BROKEN = /undefined|null|NaN|\[object|\s{2}|^\s|\s$/;

const REASONS = Object.entries(REASON_SAMPLES).flatMap(([code, samples]) =>
  samples.map((params) => [code, { code, params } as Reason] as const),
);

test.each(REASONS)('the reason %s is a clause', (_, each) => {
  const text = baseRenderer.reason(each);
  expect(text).toMatch(/\w{2}/);
  expect(text).not.toMatch(BROKEN);
  expect(asSentence(text)).toMatch(/[.?]$/);
});

test.each(REASONS)('the reason %s is the same after a wire', (_, each) => {
  const sent: unknown = JSON.parse(JSON.stringify(each));
  expect(sent).toEqual(each);
  expect(isReason(sent)).toBe(true);
});

const NOTICES = Object.entries(ROUTING_NOTICE_SAMPLES).flatMap(([code, samples]) =>
  samples.map((params) => [code, { code, params } as Notice] as const),
);

test.each(NOTICES)('the notice %s is a sentence', (_, each) => {
  const text = baseRenderer.notice(each);
  expect(text).toMatch(/\w{2}/);
  expect(text).not.toMatch(BROKEN);
  expect(JSON.parse(JSON.stringify(each))).toEqual(each);
});

test('codes of another version are known for what they are, however deep they lie', () => {
  const strange = { code: 'of_tomorrow', params: {} };
  const model = { provider: 'kimi', model: 'kimi-k3' };
  expect(isReason(strange)).toBe(false);
  expect(isReason({ code: 'no_model_usable', params: {} })).toBe(true);
  const group = { models: [model], reason: strange };
  expect(isReason({ code: 'no_model_usable', params: { models: [group] } })).toBe(false);
  for (const odd of [undefined, null, 7, 'text', {}, { code: 'toString', params: {} }]) {
    expect(isReason(odd)).toBe(false);
  }
});

describe('models that are left out', () => {
  const resting = reason('model_resting');
  const dear = reason('price_unknown');
  const out = (provider: string, model: string, why: Reason) => ({ provider, model, reason: why });

  test('are gathered by their reason, each once', () => {
    const groups = groupModels([
      out('kimi', 'kimi-k3', resting),
      out('glm', 'glm-5.3', dear),
      out('glm', 'glm-5.2', reason('model_resting')),
      out('kimi', 'kimi-k3', resting),
    ]);
    expect(groups).toEqual([
      {
        models: [
          { provider: 'kimi', model: 'kimi-k3' },
          { provider: 'glm', model: 'glm-5.2' },
        ],
        reason: resting,
      },
      { models: [{ provider: 'glm', model: 'glm-5.3' }], reason: dear },
    ]);
  });

  test('are named up to three for each of up to three reasons', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((model) => out('kimi', model, resting));
    const reasons = [1, 2, 3, 4].map((max) =>
      out('glm', `g${max}`, reason('too_many_tools', { max, given: 9 })),
    );
    const models = groupModels([...many, ...reasons]);
    expect(baseRenderer.reason(reason('no_model_usable', { models }))).toBe(
      'No model can be asked: a, b, c and 2 more: it failed too often and is unavailable for now; ' +
        'g1: it takes 1 tools at most, and there are 9; ' +
        'g2: it takes 2 tools at most, and there are 9; and 2 more',
    );
  });

  test('are one group while their account cools down, whenever each was looked at', () => {
    const open = (retryInMs: number) =>
      reason('breaker_open', {
        key: 'kimi',
        how: 'at_once',
        classes: ['auth'],
        failures: 1,
        calls: 1,
        windowMs: 60_000,
        state: 'resting',
        retryInMs,
      });
    const models = groupModels([
      out('kimi', 'kimi-k3', open(57_294)),
      out('kimi', 'kimi-k2.6', open(57_293)),
    ]);
    expect(baseRenderer.reason(reason('all_models_resting', { models }))).toBe(
      'All models that could answer are unavailable: kimi-k3, kimi-k2.6: ' +
        'kimi: its key was refused (auth); next try in 58 s',
    );
  });

  test('are counted as models, not as groups, where they are not named', () => {
    const why = (max: number) => reason('too_many_tools', { max, given: 9 });
    const models = groupModels([
      ...[1, 2, 3].map((max) => out('glm', `g${max}`, why(max))),
      ...['a', 'b', 'c'].map((model) => out('kimi', model, why(4))),
    ]);
    expect(baseRenderer.reason(reason('no_model_usable', { models }))).toMatch(/; and 3 more$/);
  });

  test('are not named again where the reason begins with the name', () => {
    const open = (key: string) =>
      reason('breaker_open', {
        key,
        how: 'at_once',
        classes: ['auth'],
        failures: 1,
        calls: 1,
        windowMs: 60_000,
        state: 'resting',
        retryInMs: 60_000,
      });
    const text = (key: string) =>
      baseRenderer.reason(
        reason('all_models_resting', { models: groupModels([out('kimi', 'kimi-k3', open(key))]) }),
      );
    expect(text('kimi/kimi-k3')).toMatch(/unavailable: kimi\/kimi-k3: its key was refused/);
    expect(text('kimi')).toMatch(/unavailable: kimi-k3: kimi: its key was refused/);
  });
});

test('a quotation says why no model answers, and what to do', () => {
  const [first] = ROUTING_NOTICE_SAMPLES.quoted_instead;
  expect(baseRenderer.notice(notice('quoted_instead', first))).toBe(
    'No provider is set up. Showing matching passages from your input instead. Add a key with: exai keys add glm',
  );
});
