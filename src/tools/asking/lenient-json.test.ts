import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findObject } from './lenient-json.ts';

const found = (said: string) => findObject(said, (value) => value);

test.each([
  ['{"a": [1, 2,], "b": {"c": "x\ny",},}', { a: [1, 2], b: { c: 'x\ny' } }],
  ['{"a": [1, 2], "b": [3, {"c": 4}, {"d": 5', { a: [1, 2], b: [3, { c: 4 }] }],
  ['{"a": "one\ttwo", "b": "cut of', { a: 'one\ttwo' }],
  ['{"a": [[], [1], [', { a: [[], [1]] }],
])('%j is read as far as it is whole', (said, value) => {
  expect(found(said)).toEqual(value);
});

test('whatever is cut off, an object is read or nothing, and never what was not said', () => {
  const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(object, fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      expect(found(text)).toEqual(JSON.parse(text));
      const part = found(text.slice(0, at % text.length));
      for (const key of Object.keys(part ?? {})) expect(text).toContain(JSON.stringify(key));
    }),
  );
});
