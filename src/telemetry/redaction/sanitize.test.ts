import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createKeyClassifier, sanitize } from './sanitize.ts';
import { createRedactor } from './redact.ts';
import { maskShapes } from './secret-patterns.ts';

const redact = createRedactor();

test.each<[string, unknown, unknown]>([
  ['a bigint', 12n, '12'],
  ['an absurd bigint', 10n ** 5000n, '[very large integer]'],
  ['a function', () => 1, '[function]'],
  ['a symbol', Symbol('x'), 'Symbol(x)'],
  ['not a number', [NaN, Infinity], ['NaN', 'Infinity']],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['an invalid date', new Date(NaN), null],
  ['a URL', new URL('http://a:secret@b/'), 'http://a:[redacted]@b/'],
  ['a pattern', /a+/g, '/a+/g'],
  ['a buffer', Buffer.from('private'), '[7 bytes]'],
  ['a typed array', new Uint16Array(3), '[6 bytes]'],
  ['an array buffer', new ArrayBuffer(5), '[5 bytes]'],
  ['a map of texts', new Map([['a', 1]]), { a: 1 }],
  ['a map of anything', new Map<unknown, unknown>([[{ a: 1 }, 2]]), [[{ a: 1 }, 2]]],
  ['a set', new Set([1, 'b']), [1, 'b']],
  ['boxed values', [Object('text'), Object(1), Object(true)], ['text', 1, true]],
  ['undefined', { gone: undefined, list: [undefined] }, { list: [null] }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  [
    'an object that is its own JSON',
    { a: 1, toJSON: returnsItself },
    { a: 1, toJSON: '[function]' },
  ],
])('%s is written as data', (_what, value, plain) => {
  expect(redact(value)).toEqual(plain);
});

function returnsItself(this: unknown): unknown {
  return this;
}

test('an error keeps its name, message, facts and causes, all without secrets', () => {
  const cause = Object.assign(new TypeError('Bearer abcdefgh1'), { code: 'E_X' });
  const error = new CallError('network', 'The host is gone.', { provider: 'kimi', cause });
  expect(redact(error)).toEqual({
    name: 'CallError',
    message: 'The host is gone.',
    class: 'network',
    provider: 'kimi',
    stack: expect.stringContaining('sanitize.test.ts'),
    cause: {
      name: 'TypeError',
      message: 'Bearer [redacted]',
      code: 'E_X',
      stack: expect.not.stringContaining('abcdefgh1'),
    },
  });
});

test('what throws when read costs itself alone', () => {
  const broken = () => {
    throw new Error('no');
  };
  const value = {
    fine: 1,
    getter: Object.defineProperty({ a: 1 }, 'b', { get: broken, enumerable: true }),
    json: { toJSON: broken },
    proxy: new Proxy({}, { ownKeys: broken, getPrototypeOf: broken }),
    revoked: revokedProxy(),
  };
  expect(redact(value)).toEqual({
    fine: 1,
    getter: { a: 1, b: '[unreadable]' },
    json: '[unreadable]',
    proxy: '[unreadable]',
    revoked: '[unreadable]',
  });
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test('a cycle is named, a value used twice is written twice', () => {
  const shared = { a: 1 };
  const value: Record<string, unknown> = { one: shared, two: shared };
  value['self'] = value;
  expect(redact(value)).toEqual({ one: { a: 1 }, two: { a: 1 }, self: '[circular]' });
});

test('keys of the prototype stay ordinary keys', () => {
  const copy = redact(JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'));
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('what is cut leaves a marker of how much', () => {
  expect(redact('x'.repeat(20_000))).toBe(`${'x'.repeat(16_384)}… [3616 more characters]`);
  expect((redact(Array.from({ length: 5000 }, () => 0)) as unknown[]).at(-1)).toBe('[4000 more]');
  const wide = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`k${index}`, index]));
  expect((redact(wide) as Record<string, unknown>)['…']).toBe('[500 more]');
  expect(redact({ ['k'.repeat(300)]: 1 })).toEqual({ [`${'k'.repeat(256)}…`]: 1 });
});

test('depth, total size and shared structure are bounded', () => {
  let deep: unknown = 'end';
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(JSON.stringify(redact(deep))).toContain('[more than 24 levels deep]');

  let doubling: unknown = 'x'.repeat(1000);
  for (let level = 0; level < 24; level++) doubling = [doubling, doubling];
  expect(JSON.stringify(redact(doubling)).length).toBeLessThan(1_000_000);

  const endless = { toJSON: (): unknown => ({ ...endless }) };
  expect(JSON.stringify(redact(endless))).toContain('levels deep');
});

const megabyte = 'x'.repeat(1_048_576);
const many = Array.from({ length: 40 }, (_, index) => `${index}${megabyte}`);

test.each<[string, unknown]>([
  ['long texts', many],
  ['long names', Object.fromEntries(many.map((name) => [name, 1]))],
  ['long names in a map', new Map(many.map((name) => [name, name]))],
  ['pairs of long texts', many.map((text) => ({ value: text, name: text, key: text }))],
  ['texts of which a mask leaves little', Array.from({ length: 9000 }, () => 'pwd='.padEnd(2000))],
  ['nine million characters of names', wideObject(9000, 1000)],
])('of %s no more is read than a log could show', (_what, value) => {
  let read = 0;
  const masking = {
    mask(text: string) {
      read += text.length;
      return text.slice(0, 10);
    },
    overlap: 1024,
  };
  sanitize(value, { ...masking, classifyKey: createKeyClassifier(masking) });
  expect(read).toBeLessThan(2_000_000);
});

function wideObject(keys: number, length: number): object {
  const names = Array.from({ length: keys }, (_, index) => `${index}`.padEnd(length, 'k'));
  return { a: names.slice(0, 900), b: Object.fromEntries(names.map((name) => [name, name])) };
}

test('of a huge map or set only the first are looked at, and the rest is counted', () => {
  const steps: number[] = [];
  class Counted<Key> extends Map<Key, number> {
    override *keys() {
      for (const key of super.keys()) {
        steps.push(1);
        yield key;
      }
      return undefined;
    }
  }
  const map = new Counted(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]));
  expect((redact(map) as Record<string, unknown>)['…']).toBe('[49000 more]');
  expect(steps.length).toBeLessThan(1100);
});

const nasty = [
  'a',
  '-',
  ' ',
  '"',
  '\\',
  '\\"',
  'a=',
  'a.',
  '%22',
  '%3F',
  'token=',
  'token: ',
  '&key=',
  'password:"',
  '://a:',
  'bearer ',
  'Basic ',
  'sk-',
  'eyJ',
  'eyJaaaaa.',
  'AKIA',
  'ghp_',
  '-----BEGIN PRIVATE KEY-----',
  "'cookie:a\n",
  'f'.repeat(31),
  '[redacted]',
  '@',
  ':',
  '://a:1/',
  'https://a',
  '-u a:',
  '-u "',
  'name="',
  'name="password"\n',
  'name=\\"password\\"\\n',
  'name=token,',
  'name=password,value=',
  'password: |\n',
  'password: |\n ',
  'token=>',
];

test.each(nasty)('a megabyte of %j is masked in linear time', (piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  // Quadratic work on this much text takes minutes, which the limit of the test would cut off.
  expect(maskShapes(text).length).toBeGreaterThan(0);
  expect(maskShapes(`${text}\u0000`).length).toBeGreaterThan(0);
});
