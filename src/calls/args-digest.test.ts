import { expect, test } from 'vitest';
import { argsDigest } from './args-digest.ts';

const digestOf = (json: string) => argsDigest(JSON.parse(json) as Record<string, unknown>);

test.each([
  ['{"a":1,"b":[{"c":2,"d":3}]}', '{"b":[{"d":3,"c":2}],"a":1}'],
  ['{}', '{ }'],
  ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
])('%s and %s are the same arguments', (one, other) => {
  expect(digestOf(one)).toBe(digestOf(other));
});

test.each([
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":null}', '{}'],
  ['{"__proto__":1}', '{}'],
  ['{"a":{"b":1}}', '{"a":{},"b":1}'],
])('%s and %s are not', (one, other) => {
  expect(digestOf(one)).not.toBe(digestOf(other));
});
