import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createChunkParser } from './chunk-parser.ts';

const chunk = (delta: object, rest: object = {}) => ({
  id: 'c-1',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...rest,
});

/** What a parser returns for each chunk, as it is when it is returned. */
function parseAll(texts: readonly string[]): unknown[] {
  const parse = createChunkParser();
  return texts.map((text) => structuredClone(parse(text)));
}

const plain = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

it('parses each chunk like JSON.parse, whatever came before it', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('', '"', '\\', '\n', '","content":"x'));
  const delta = fc.oneof(
    text.map((content) => ({ content })),
    text.map((content) => ({ role: 'assistant', content })),
    text.map((reasoning) => ({ reasoning, content: null })),
    fc.tuple(text, text).map(([a, b]) => ({ reasoning_content: a, content: b })),
    text.map((content) => ({ meta: { content }, content })),
  );
  const rest = fc.constantFrom<object>({}, {}, { usage: null }, { content: 'beside' });
  const chunks = fc.array(
    fc
      .tuple(delta, rest, fc.constantFrom(0, 0, 1))
      .map(([each, beside, indent]) => JSON.stringify(chunk(each, beside), null, indent)),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(chunks, (texts) => {
      expect(parseAll(texts)).toEqual(texts.map(plain));
    }),
    { numRuns: 300 },
  );
});

it('takes nothing for a text that JSON.parse refuses', () => {
  const [before = '', after = ''] = JSON.stringify(chunk({ content: '|' })).split('|');
  const middles = ['a', 'b', 'c"', '\n', '\\', '\\x', '"', 'd","role":"user', '\\u0041', 'e'];
  const texts = middles.map((middle) => before + middle + after);
  expect(parseAll(texts)).toEqual(texts.map(plain));
});

it('does not take the text of another member for that of the delta', () => {
  const named = (content: string) =>
    `{"content":"${content}","choices":[{"delta":{"cont\\u0065nt":"x"}}]}`;
  const texts = [named('a'), named('b'), named('c')];
  expect(parseAll(texts)).toEqual(texts.map(plain));
});
