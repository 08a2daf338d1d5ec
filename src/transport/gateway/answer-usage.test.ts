import { expect, test } from 'vitest';
import { answerUsage } from './answer-usage.ts';
import { choiceOf } from './gateway-choice.fixture.ts';

const usage = { input: 10, output: 5, cached: 4, reasoning: 2, estimated: false };

test('several choices have one prompt, and the output of all of them', () => {
  const choices = [choiceOf({ usage }), choiceOf({ usage: { ...usage, input: 12, cached: 0 } })];
  expect(answerUsage({ choices })).toEqual({ input: 12, output: 10, cached: 0, reasoning: 4 });
});

test('a choice that no model was asked for has no tokens', () => {
  const none = { input: 0, output: 0, cached: 0, reasoning: 0 };
  expect(answerUsage({ choices: [choiceOf()] })).toEqual(none);
});
