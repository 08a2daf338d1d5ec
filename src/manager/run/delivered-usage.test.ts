import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { TokenUsage } from '#core/llm/chat.ts';
import type { ChatAnswer } from '#core/llm/collect-chat.ts';
import { addDelivered, remainingOutput, type DeliveringAttempt } from './delivered-usage.ts';

const usageOf = (input: number, output: number, reasoning = 0): TokenUsage => ({
  input,
  output,
  cached: 0,
  reasoning,
  estimated: false,
});

const answerOf = (text: string, usage: TokenUsage | undefined): ChatAnswer => ({
  model: 'm',
  text,
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  citations: [],
  notices: [],
  usage,
});

function attemptOf(
  text: string,
  usage: TokenUsage,
  more: Partial<DeliveringAttempt> & { readonly fails?: true } = {},
): DeliveringAttempt {
  const { fails, ...given } = more;
  const answer = answerOf(text, fails ? undefined : usage);
  const error = new CallError('interrupted', 'Cut.');
  return {
    outcome: fails ? { is: 'failed', answer, error } : { is: 'answered', answer, finish: 'stop' },
    usage,
    promptTokens: 1000,
    continues: '',
    addedTokens: 0,
    emittedChars: text.length,
    maxOutputTokens: undefined,
    ...given,
  };
}

const TEXT = 'word '.repeat(100);

describe('the usage of an answer', () => {
  test('of one attempt is what the vendor counted', () => {
    expect(addDelivered(undefined, attemptOf(TEXT, usageOf(990, 120, 20)))).toEqual(
      usageOf(990, 120, 20),
    );
  });

  test('has nothing of an attempt that delivered nothing', () => {
    const failed = attemptOf(TEXT, usageOf(990, 120), { fails: true, emittedChars: 0 });
    expect(addDelivered(undefined, failed)).toBeUndefined();
    const last = addDelivered(undefined, attemptOf(TEXT, usageOf(980, 100)));
    expect(last).toEqual(usageOf(980, 100));
  });

  test('of two models has the prompt once, and the output of both', () => {
    const first = addDelivered(undefined, attemptOf(TEXT, usageOf(1000, 110, 10), { fails: true }));
    const more = attemptOf(TEXT, usageOf(1150, 130, 30), { continues: TEXT, addedTokens: 150 });
    const both = addDelivered(first, more);
    // The reasoning of the second was not delivered.
    expect(both).toMatchObject({ output: 110 + 100, reasoning: 10 });
    expect(both?.input).toBe(1000);
  });

  test('has the prompt as the vendor counted it, without what a continuation adds', () => {
    const first = addDelivered(undefined, attemptOf(TEXT, usageOf(1000, 100), { fails: true }));
    const short = { continues: 'One two', addedTokens: 10, promptTokens: 150 };
    const exact = addDelivered(first, attemptOf(TEXT, usageOf(1010, 100), short));
    expect(exact?.input).toBe(1000);
    const told = { ...short, addedTokens: 70 };
    const instructed = addDelivered(first, attemptOf(TEXT, usageOf(1070, 100), told));
    expect(instructed?.input).toBe(1000);
  });

  test('has none of what a continuation adds where prompts are estimated too high', () => {
    const first = addDelivered(undefined, attemptOf(TEXT, usageOf(1000, 100), { fails: true }));
    const more = { continues: TEXT, addedTokens: 210, promptTokens: 1400 };
    // Of all of it, 1,610 tokens are 1,150: the 210 are 150.
    const both = addDelivered(first, attemptOf(TEXT, usageOf(1150, 100), more));
    expect(both?.input).toBe(1000);
    const other = { ...more, promptTokens: 20_000 };
    expect(addDelivered(first, attemptOf(TEXT, usageOf(1150, 100), other))?.input).toBe(1045);
  });

  test('has no output twice that a continuation repeated', () => {
    const first = addDelivered(undefined, attemptOf(TEXT, usageOf(1000, 100), { fails: true }));
    const more = attemptOf(TEXT + TEXT, usageOf(1150, 200), {
      continues: TEXT,
      emittedChars: TEXT.length,
    });
    expect(addDelivered(first, more)).toMatchObject({ output: 200 });
  });

  test('is never above the limit of the caller', () => {
    const limited = attemptOf(TEXT, usageOf(990, 120), { maxOutputTokens: 100 });
    expect(addDelivered(undefined, limited)).toMatchObject({ output: 100 });
  });
});

test('a continuation has what the text so far has left of the limit, another answer all of it', () => {
  const delivered = usageOf(10, 7);
  expect(remainingOutput(10, { emittedText: 'So far', delivered })).toBe(3);
  expect(remainingOutput(5, { emittedText: 'So far', delivered })).toBe(0);
  expect(remainingOutput(10, { emittedText: '', delivered })).toBe(10);
  expect(remainingOutput(undefined, { emittedText: 'So far', delivered })).toBeUndefined();
});
