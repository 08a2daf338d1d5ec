import { expect, test } from 'vitest';
import { estimateSampled } from './estimate-sampled.ts';
import { estimateTokens } from './estimate-tokens.ts';

const PROSE = 'The keeper lit the lamp, counted 9 ships, and wrote 北京 in the book.\n';

test('a text of usual length is counted as a whole', () => {
  const text = PROSE.repeat(3000);
  expect(estimateSampled(text)).toBe(estimateTokens(text));
});

test.each([
  ['of one kind', PROSE.repeat(20_000)],
  ['of two kinds', PROSE.repeat(10_000) + '漢字'.repeat(350_000)],
])('a long text %s is estimated within a tenth', (_, text) => {
  const exact = estimateTokens(text);
  expect(Math.abs(estimateSampled(text) - exact)).toBeLessThan(exact / 10);
});
