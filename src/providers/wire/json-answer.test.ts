import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJson } from './json-answer.ts';

const first = (text: string) => findJson(text).next().value?.value;
const fence = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

test.each([
  ['JSON alone', ' {"a":1}\n'],
  ['a byte order mark', '\uFEFF{"a":1}'],
  ['fences', fence('{"a":1}')],
  ['fences that are not closed', '```json\n{"a":1}'],
  ['fences in prose', `Here it is:\n${fence('{"a":1}')}\nI hope it helps.`],
  ['prose before and after', 'The answer is {"a":1}, I think.'],
  ['a comma too many', '{"a":1,}'],
  ['a comma too many in fences', fence('{"a":1 ,\n}')],
])('finds the object in %s', (_, text) => {
  expect(first(text)).toEqual({ a: 1 });
});

test('leaves texts within the JSON as they are', () => {
  const value = { a: '```js\n[1,]\n```', b: 'say "{,}" \\' };
  expect(first(fence(JSON.stringify(value)))).toEqual(value);
  expect(first(`Well: ${JSON.stringify(value)} !`)).toEqual(value);
});

test('takes line breaks within texts for what they are', () => {
  expect(first('{"a":"one\ntwo\ttabs","b":[1,],}')).toEqual({ a: 'one\ntwo\ttabs', b: [1] });
});

test('opens JSON that was sent as a JSON string', () => {
  expect([...findJson(JSON.stringify('{"a":1}'))].map(({ value }) => value)).toEqual([
    '{"a":1}',
    { a: 1 },
  ]);
});

test('offers every value of a text, in order', () => {
  const texts = [...findJson('See [1] and {"a":2} and {"b":3}.')].map(({ text }) => text);
  expect(texts).toEqual(['[1]', '{"a":2}', '{"b":3}']);
});

test.each(['', 'no', '{"a":', "{'a': 1}", '{a: 1}', '[[[', '}{', '{"a": NaN}'])(
  'finds nothing in %j',
  (text) => {
    expect([...findJson(text)]).toEqual([]);
  },
);

test('reads back whatever was written, with anything around it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      const expected: unknown = JSON.parse(text);
      expect(first(text)).toEqual(expected);
      expect(first(fence(text))).toEqual(expected);
      expect(first(`So: ${text} — that is all.`)).toEqual(expected);
    }),
  );
});

test('takes time in proportion to the text', () => {
  expect([...findJson('['.repeat(1_000_000))]).toEqual([]);
  expect([...findJson('{"a":"'.repeat(200_000))]).toEqual([]);
  expect([...findJson(`{${','.repeat(500_000)}`)]).toEqual([]);
});
