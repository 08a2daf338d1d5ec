import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import type { OpenedThreads } from '../../../test/open-threads.ts';
import {
  allSay,
  failing,
  frame,
  openStage,
  openTroupe,
  THREE,
  type Troupe,
} from './consensus.fixture.ts';

let opened: OpenedThreads;
let run: Troupe['run'];
beforeAll(async () => {
  ({ opened, run } = await openTroupe());
});
afterAll(() => opened.close());

describe('a second round', () => {
  test('each sees the answers of the others without names, and what changed is told', async () => {
    const stage = openStage((model, round) => {
      if (model === 'glm-5.3' && round === 2) {
        return { afterMs: 1000, says: frame('agree', 0.9, { change: 'A showed the cost.' }) };
      }
      return { afterMs: 1000, says: frame(model === 'glm-5.3' ? 'disagree' : 'agree', 0.8) };
    });
    const { content, text } = await run({ models: THREE, rounds: 2 }, stage);
    expect(content.rounds).toBe(2);
    expect(stage.asked).toHaveLength(6);
    const second = stage.asked[4];
    expect(second?.model).toBe('glm-5.3');
    expect(second?.system).toBe(stage.asked[1]?.system);
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

  test('who fails in it is heard with the first answer', async () => {
    const stage = openStage((model, round) => ({
      says: model === 'kimi-k3' && round === 2 ? failing('network') : frame('agree'),
    }));
    const { content, text } = await run({ models: THREE, rounds: 2 }, stage);
    expect(content.quorum.answered).toBe(3);
    expect(content.responses[0]).toMatchObject({
      status: 'success',
      position: 'agree',
      error_class: 'network',
    });
    expect(content.responses[0]).not.toHaveProperty('changed');
    expect(text).toContain('- kimi-k3 (second answer): It is away.');
  });

  test('who missed the first is not asked again', async () => {
    const stage = openStage((model) => ({
      says: model === 'kimi-k3' ? failing('network') : frame('agree'),
    }));
    const { content } = await run({ models: THREE, rounds: 2 }, stage);
    expect(stage.asked.map(({ model }) => model).slice(3)).toEqual(['glm-5.3', 'glm-4.7-flash']);
    expect(stage.asked[3]?.files?.map(({ name }) => name)).toEqual(['[answer of C]']);
    expect(content.responses.map(({ letter }) => letter)).toEqual([undefined, 'B', 'C']);
    expect(content.responses[0]).toMatchObject({ status: 'error' });
    expect(stage.steps.at(-1)).toMatchObject({ done: 5, total: 5 });
  });

  test('there is none for one alone, or without time', async () => {
    const alone = openStage((model) => ({
      says: model === 'kimi-k3' ? frame('agree') : failing('network'),
    }));
    const told = await run({ models: THREE, rounds: 2 }, alone);
    expect([told.content.rounds, told.notices]).toEqual([
      1,
      [notice('second_round_skipped', { reason: 'one_answer' })],
    ]);
    const late = openStage(
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

  test('are whole for the caller, who is told what the others did not see', async () => {
    const stage = openStage((model) => ({
      says: model === 'kimi-k3' ? wordy : frame('agree'),
    }));
    const { content, text, detail } = await run({ models: THREE, rounds: 2 }, stage);
    expect(content.responses[0]).toMatchObject({ reasons: many, risks: ['r'.repeat(1500)] });
    expect(content.responses[0]?.verdict === long).toBe(true);
    expect(text.includes(long)).toBe(true);
    const notice =
      'The answer of kimi-k3 was too long to be shown whole in the second round: the others did not see the last 10001 characters of its verdict, nor 3 of its reasons and risks, in whole or in part.';
    expect(detail).toBe(notice);
    expect(text).toContain(`[${notice}]`);
    const shown = stage.asked[4]?.files?.find(({ name }) => name === '[answer of A]')?.text ?? '';
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThan(25_000);
    expect(shown).toContain('😀 [… 10001 more characters are not shown]\nReasons:');
    expect(shown).toContain('- Reason 11.\n[… 2 more are not shown]\nRisks:');
    expect(shown.endsWith('r [… 500 more characters are not shown]')).toBe(true);
  });

  test('in one round nothing is left out for anybody', async () => {
    const stage = openStage(() => ({ says: `${'x'.repeat(50_000)}.` }));
    const { content, detail } = await run({ models: THREE }, stage);
    expect(content.responses.map(({ verdict = '' }) => verdict.length)).toEqual([
      50_001, 50_001, 50_001,
    ]);
    expect(detail).toBeUndefined();
  });
});

describe('what it may take', () => {
  test('the time is that of the call, and both rounds have their half', async () => {
    const long = openStage(allSay('agree'));
    await run({ models: THREE, per_model_seconds: 3600 }, long);
    expect(long.asked[0]?.timeoutMs).toBe(298_000);
    const two = openStage(allSay('agree'));
    await run({ models: THREE, per_model_seconds: 3600, rounds: 2 }, two);
    expect(two.asked.map(({ timeoutMs }) => timeoutMs)).toEqual([
      149_000, 149_000, 149_000, 298_000, 298_000, 298_000,
    ]);
    const short = openStage(allSay('agree'), 10_000);
    await run({ models: THREE }, short);
    expect(short.asked[0]?.timeoutMs).toBe(9000);
  });

  test('the money is shared out, and what was not spent goes to the second round', async () => {
    const stage = openStage((_, round) => ({
      says: frame('agree'),
      costMicroUsd: round === 1 ? 10_000 : 0,
    }));
    await run({ models: THREE, rounds: 2, max_cost_usd: 0.6 }, stage);
    expect(stage.asked.map(({ maxCostMicroUsd }) => maxCostMicroUsd)).toEqual([
      100_000, 100_000, 100_000, 190_000, 190_000, 190_000,
    ]);
    // Without it no model could promise to stay below anything.
    expect(stage.asked[0]?.maxOutputTokens).toBe(16_384);
    const free = openStage(allSay('agree'));
    await run({ models: THREE, max_cost_usd: 0 }, free);
    expect(free.asked.map(({ maxCostMicroUsd }) => maxCostMicroUsd)).toEqual([0, 0, 0]);
  });
});
