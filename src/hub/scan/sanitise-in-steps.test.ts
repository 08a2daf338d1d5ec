import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '#core/json/json.ts';
import { verifies } from '../../../test/verifies.ts';
import { sanitiseAny } from './sanitise-in-steps.ts';
import { sanitiseResult } from './sanitise-result.ts';

const TAGGED_FLAG = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';
const PIECES = [
  'The tide comes in twice a day. ',
  'x'.repeat(3_000),
  '\n',
  '\u001b[31mred\u001b[0m',
  '\u001b]0;a title\nof two lines\u0007',
  '\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\',
  '\u001b',
  '\u009b1m',
  '\u0000\u0008',
  '\u{e0041}\u{e0042}',
  TAGGED_FLAG,
  '港口的守夜人',
  '🌊⚓',
];

const resultOf = (text: string, more: Json = {}) => ({
  content: [{ type: 'text', text }] as readonly JsonObject[],
  isError: false,
  structuredContent: { text, more, list: [1, null, true, { deep: text.slice(0, 500) }] },
});

test('a large result is cleaned in steps as a small one is at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...PIECES), { minLength: 20, maxLength: 60 }),
      async (pieces) => {
        const text = pieces.join('').repeat(1 + Math.ceil(300_000 / pieces.join('').length));
        const given = resultOf(
          text,
          JSON.parse('{"__proto__": "\\u0007a", "data": "\\u0007"}') as Json,
        );
        const expected = sanitiseResult(given);
        expect(JSON.stringify(await sanitiseAny(given))).toBe(JSON.stringify(expected));
      },
    ),
    { numRuns: 25 },
  );
});

test('a small result is cleaned at once', () => {
  const given = resultOf('plain');
  expect(sanitiseAny(given)).toBe(given);
  expect(sanitiseAny(resultOf('a\u0007b'))).toMatchObject({ content: [{ text: 'ab' }] });
});

verifies(
  'stalls:turns',
  'others get turns while a large result of a server is cleaned',
  async () => {
    const text = `${PIECES.join('')}${'The tide comes in. '.repeat(1_000)}`.repeat(200);
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    })();
    await sanitiseAny(resultOf(text));
    isOver = true;
    await others;
    expect(turns).toBeGreaterThanOrEqual((2 * 2 * text.length) / 262_144);
  },
);
