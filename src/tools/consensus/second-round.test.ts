import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import type { OpenedThreads } from '../../../test/open-threads.ts';
import {
  allSay,
  failing,
  frame,
  createFakeModels,
  openConsensusBench,
  THREE,
  type ConsensusBench,
} from './consensus.fixture.ts';

let opened: OpenedThreads;
let run: ConsensusBench['run'];
beforeAll(async () => {
  ({ opened, run } = await openConsensusBench());
});
afterAll(() => opened.close());

describe('a second round', () => {
  test('each sees the answers of the others without names, and changes are reported', async () => {
    const fake = createFakeModels((model, round) => {
      if (model === 'glm-5.3' && round === 2) {
        return { afterMs: 1000, says: frame('agree', 0.9, { change: 'A showed the cost.' }) };
      }
      return { afterMs: 1000, says: frame(model === 'glm-5.3' ? 'disagree' : 'agree', 0.8) };
    });
    const { content, text } = await run({ models: THREE, rounds: 2 }, fake);
    expect(content.rounds).toBe(2);
    expect(fake.asked).toHaveLength(6);
    const second = fake.asked[4];
    expect(second?.model).toBe('glm-5.3');
    expect(second?.system).toBe(fake.asked[1]?.system);
    expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(second?.messages[1]?.content).toBe(frame('disagree', 0.8));
    expect(second?.files?.map(({ name }) => name)).toEqual(['[answer of A]', '[answer of C]']);
    const shown = JSON.stringify([second?.files, second?.messages.at(-1)]);
    for (const { model } of THREE) expect(shown).not.toContain(model);
    expect(second?.files?.[0]?.text).toBe(
      'It was given no side.\nPosition: agree, confidence 0.8\nVerdict: I agree.\nReasons:\n- Because.',
    );
    expect(content.responses[1]).toMatchObject({
      position: 'agree',
      letter: 'B',
      changed: true,
      change: 'A showed the cost.',
      before: { position: 'disagree', confidence: 0.8 },
      elapsed_ms: 2000,
    });
    expect(content.responses[0]).toMatchObject({ changed: false });
    expect(content.responses[0]).not.toHaveProperty('before');
    expect(content.disagreements).toEqual([]);
    expect(text).toContain(
      '| glm-5.3 [B] | neutral | agree | 90 % | changed from disagree, 80 % |',
    );
    expect(text).toContain('| kimi-k3 [A] | neutral | agree | 80 % | stayed |');
    expect(text).toContain('Second round: A showed the cost.');
  });

  test('a model that fails in it counts with its first answer', async () => {
    const fake = createFakeModels((model, round) => ({
      says: model === 'kimi-k3' && round === 2 ? failing('network') : frame('agree'),
    }));
    const { content, text } = await run({ models: THREE, rounds: 2 }, fake);
    expect(content.quorum.answered).toBe(3);
    expect(content.responses[0]).toMatchObject({
      status: 'success',
      position: 'agree',
      error_class: 'network',
    });
    expect(content.responses[0]).not.toHaveProperty('changed');
    expect(text).toContain('- kimi-k3 (second answer): It is away.');
  });

  test('a model that missed the first is not asked again', async () => {
    const fake = createFakeModels((model) => ({
      says: model === 'kimi-k3' ? failing('network') : frame('agree'),
    }));
    const { content } = await run({ models: THREE, rounds: 2 }, fake);
    expect(fake.asked.map(({ model }) => model).slice(3)).toEqual(['glm-5.3', 'glm-4.7-flash']);
    expect(fake.asked[3]?.files?.map(({ name }) => name)).toEqual(['[answer of C]']);
    expect(content.responses.map(({ letter }) => letter)).toEqual([undefined, 'B', 'C']);
    expect(content.responses[0]).toMatchObject({ status: 'error' });
    expect(fake.steps.at(-1)).toMatchObject({ done: 5, total: 5 });
  });

  test('there is none for one alone, or without time', async () => {
    const alone = createFakeModels((model) => ({
      says: model === 'kimi-k3' ? frame('agree') : failing('network'),
    }));
    const told = await run({ models: THREE, rounds: 2 }, alone);
    expect([told.content.rounds, told.notices]).toEqual([
      1,
      [notice('second_round_skipped', { reason: 'one_answer' })],
    ]);
    const late = createFakeModels(
      (model) => ({
        afterMs: model === 'kimi-k3' ? 1000 : 0,
        says: frame('agree'),
      }),
      1900,
    );
    const short = await run({ models: THREE, rounds: 2 }, late);
    expect(short.notices).toEqual([notice('second_round_skipped', { reason: 'no_time' })]);
  });
});

describe('answers that are too long to be shown to all the others', () => {
  const long = `${'😀'.repeat(15_000)}.`;
  const many = Array.from({ length: 14 }, (_, at) => `Reason ${at}.`);
  const wordy = frame('agree', 0.8, { verdict: long, reasons: many, risks: ['r'.repeat(1500)] });

  test('are complete for the caller, with a notice about what the others did not see', async () => {
    const fake = createFakeModels((model) => ({
      says: model === 'kimi-k3' ? wordy : frame('agree'),
    }));
    const { content, text, detail } = await run({ models: THREE, rounds: 2 }, fake);
    expect(content.responses[0]).toMatchObject({ reasons: many, risks: ['r'.repeat(1500)] });
    expect(content.responses[0]?.verdict === long).toBe(true);
    expect(text.includes(long)).toBe(true);
    const notice =
      'The answer of kimi-k3 was too long to be shown whole in the second round: the others did not see the last 10001 characters of its verdict, nor 3 of its reasons and risks, in whole or in part.';
    expect(detail).toBe(notice);
    expect(text).toContain(`[${notice}]`);
    const shown = fake.asked[4]?.files?.find(({ name }) => name === '[answer of A]')?.text ?? '';
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThan(25_000);
    expect(shown).toContain('😀 [… 10001 more characters are not shown]\nReasons:');
    expect(shown).toContain('- Reason 11.\n[… 2 more are not shown]\nRisks:');
    expect(shown.endsWith('r [… 500 more characters are not shown]')).toBe(true);
  });

  test('in one round nothing is left out', async () => {
    const fake = createFakeModels(() => ({ says: `${'x'.repeat(50_000)}.` }));
    const { content, detail } = await run({ models: THREE }, fake);
    expect(content.responses.map(({ verdict = '' }) => verdict.length)).toEqual([
      50_001, 50_001, 50_001,
    ]);
    expect(detail).toBeUndefined();
  });
});

describe('what it may take', () => {
  test('the time is that of the call, and both rounds have their half', async () => {
    const long = createFakeModels(allSay('agree'));
    await run({ models: THREE, per_model_seconds: 3600 }, long);
    expect(long.asked[0]?.timeoutMs).toBe(298_000);
    const two = createFakeModels(allSay('agree'));
    await run({ models: THREE, per_model_seconds: 3600, rounds: 2 }, two);
    expect(two.asked.map(({ timeoutMs }) => timeoutMs)).toEqual([
      149_000, 149_000, 149_000, 298_000, 298_000, 298_000,
    ]);
    const short = createFakeModels(allSay('agree'), 10_000);
    await run({ models: THREE }, short);
    expect(short.asked[0]?.timeoutMs).toBe(9000);
  });

  test('the money is shared out, and what was not spent goes to the second round', async () => {
    const fake = createFakeModels((_, round) => ({
      says: frame('agree'),
      costMicroUsd: round === 1 ? 10_000 : 0,
    }));
    await run({ models: THREE, rounds: 2, max_cost_usd: 0.6 }, fake);
    expect(fake.asked.map(({ maxCostMicroUsd }) => maxCostMicroUsd)).toEqual([
      100_000, 100_000, 100_000, 190_000, 190_000, 190_000,
    ]);
    // Without a limit no model could guarantee its cost.
    expect(fake.asked[0]?.maxOutputTokens).toBe(16_384);
    const free = createFakeModels(allSay('agree'));
    await run({ models: THREE, max_cost_usd: 0 }, free);
    expect(free.asked.map(({ maxCostMicroUsd }) => maxCostMicroUsd)).toEqual([0, 0, 0]);
  });
});
