import { expect, test } from 'vitest';
import { flagWords } from './flag-words.ts';

test.each([
  [
    'kimi-k3 cannot answer, and no other may (fallback: none): it rests. Leave out fallback: none, or name another model.',
    'kimi-k3 cannot answer, and no other may (--no-fallback): it rests. Leave out --no-fallback, or name another model.',
  ],
  [
    'prefer: speed and thinking_mode: high contradict each other; the second was followed.',
    '--prefer speed and --think high contradict each other; the second was followed.',
  ],
  [
    'Allow more, or set max_output_tokens, so that the answer cannot cost as much.',
    'Allow more with --max-cost, or leave it out.',
  ],
  [
    'The answer ends where its limit of tokens was reached: raise max_output_tokens, or ask for the rest.',
    'The answer ends where its limit of tokens was reached: ask for the rest.',
  ],
  ['"max_cost_usd" must be 0 or more, but is -1.', '--max-cost must be 0 or more, but is -1.'],
  ['use_websearch: true has no effect.', '--web has no effect.'],
  ['The fallback: nonesuch was asked.', 'The fallback: nonesuch was asked.'],
  ['glm-5.3 was overloaded.', 'glm-5.3 was overloaded.'],
])('%s', (said, told) => {
  expect(flagWords(said)).toBe(told);
});
