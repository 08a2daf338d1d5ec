import { expect, test } from 'vitest';
import { checkMessageSize, questionArgs, askArgs } from './ask-args.ts';

test('options become arguments of the tool', () => {
  expect(askArgs({})).toEqual({});
  expect(
    askArgs({
      model: 'kimi-k3',
      web: true,
      'no-fallback': true,
      prefer: 'speed',
      think: 'max',
      'max-cost': '.05',
    }),
  ).toEqual({
    model: 'kimi-k3',
    use_websearch: true,
    fallback: 'none',
    prefer: 'speed',
    thinking_mode: 'max',
    max_cost_usd: 0.05,
  });
});

test.each([
  [{ prefer: 'sped' }, '--prefer', '--prefer cannot be "sped", did you mean "speed"?'],
  [{ think: 'constructor' }, '--think', '--think cannot be "constructor".'],
  [
    { 'max-cost': '-1' },
    '--max-cost',
    '--max-cost must be an amount in dollars from 0 to 10000, but is "-1".',
  ],
  [
    { 'max-cost': '1e9' },
    '--max-cost',
    '--max-cost must be an amount in dollars from 0 to 10000, but is "1e9".',
  ],
  [
    { 'max-cost': '$5' },
    '--max-cost',
    '--max-cost must be an amount in dollars from 0 to 10000, but is "$5".',
  ],
  [
    { 'max-cost': '10001' },
    '--max-cost',
    '--max-cost must be an amount in dollars from 0 to 10000, but is "10001".',
  ],
  [
    { 'max-cost': '9'.repeat(400) },
    '--max-cost',
    `--max-cost must be an amount in dollars from 0 to 10000, but is "${'9'.repeat(39)}…".`,
  ],
])('%j is refused with the option and the fix', (options, field, message) => {
  expect(() => askArgs(options)).toThrow(
    expect.objectContaining({ class: 'validation', field, message }),
  );
});

test('what is piped in is the text of the question, or the question itself', () => {
  expect(questionArgs('Why?', '')).toEqual({ prompt: 'Why?' });
  expect(questionArgs('Why?', ' \n')).toEqual({ prompt: 'Why?' });
  expect(questionArgs('Why?', 'because\n')).toEqual({
    prompt: 'Why?',
    files: [{ name: 'stdin', text: 'because\n' }],
  });
  expect(questionArgs(undefined, ' Why?\n')).toEqual({ prompt: 'Why?' });
});

test.each([
  [undefined, ''],
  [undefined, ' \n'],
  ['', ''],
  [' \t', ''],
  // An unset variable; asking the piped text instead would answer another question.
  ['', 'a text'],
])('no question is a mistake in the use of it: %j, %j', (question, input) => {
  expect(() => questionArgs(question, input)).toThrow(
    expect.objectContaining({ class: 'bad_request', field: 'question' }),
  );
});

test('a text that would grow too large on its way is refused before it is sent', () => {
  checkMessageSize({ text: 'x'.repeat(10_000_000) });
  expect(() => checkMessageSize({ text: '\u0001'.repeat(10_000_000) })).toThrow(
    expect.objectContaining({ class: 'too_large' }),
  );
});
