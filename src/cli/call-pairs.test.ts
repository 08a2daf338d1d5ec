import { expect, test } from 'vitest';
import { callArgsOf, parseCallPairs } from './call-pairs.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    lines: { type: 'integer' },
    ratio: { type: ['number', 'null'] },
    probe: { type: 'boolean' },
    note: { type: 'string' },
    mode: { enum: ['a', 'b'] },
    level: { enum: [1, 2] },
    either: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    search: { anyOf: [{ type: 'boolean' }, { type: 'string', const: 'auto' }] },
    effort: { anyOf: [{ type: 'number' }, { enum: ['low', 'high'] }, { const: '3' }] },
    perhaps: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    files: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'number' } },
    filter: { type: 'object' },
  },
};

const argsOf = (words: readonly string[]) => callArgsOf(parseCallPairs(words), SCHEMA);

test.each<[string[], object]>([
  [['lines=20'], { lines: 20 }],
  [['lines=-1', 'ratio=1.5e3'], { lines: -1, ratio: 1500 }],
  [['ratio=null'], { ratio: null }],
  [['probe=true'], { probe: true }],
  [['probe=false'], { probe: false }],
  [['note=20'], { note: '20' }],
  [['note=true'], { note: 'true' }],
  [['note='], { note: '' }],
  [['note=a=b:=c'], { note: 'a=b:=c' }],
  [['note=two\nlines'], { note: 'two\nlines' }],
  [['mode=a', 'level=2'], { mode: 'a', level: 2 }],
  [['either=20'], { either: '20' }],
  [['search=true'], { search: true }],
  [['search=auto'], { search: 'auto' }],
  [['search=maybe'], { search: 'maybe' }],
  [['effort=2'], { effort: 2 }],
  [['effort=3'], { effort: '3' }],
  [['effort=low'], { effort: 'low' }],
  [['perhaps=20'], { perhaps: 20 }],
  [['files=a.ts'], { files: ['a.ts'] }],
  [['files=a.ts', 'files=b c.ts'], { files: ['a.ts', 'b c.ts'] }],
  [['files=["a.ts", "b.ts"]'], { files: ['a.ts', 'b.ts'] }],
  [['sizes=1', 'sizes=2'], { sizes: [1, 2] }],
  [['filter={"a": 1}'], { filter: { a: 1 } }],
  [['note:=20'], { note: 20 }],
  [['filter:={"a": [1]}'], { filter: { a: [1] } }],
  [['unknown=20'], { unknown: '20' }],
])('%j are typed by the schema', (words, args) => {
  expect(argsOf(words)).toEqual(args);
});

test.each([['lines=twenty'], ['lines=0x10'], ['lines='], ['probe=yes'], ['filter={a']])(
  '%j does not fit its type and stays text, which the daemon refuses',
  (word) => {
    const [name = '', value = ''] = word.split('=');
    expect(argsOf([word])).toEqual({ [name]: value });
  },
);

test.each([undefined, null, {}, { properties: [] }, { properties: { lines: true } }])(
  'with the schema %j everything is text, but for JSON',
  (schema) => {
    const pairs = parseCallPairs(['lines=20', 'probe:=true']);
    expect(callArgsOf(pairs, schema)).toEqual({ lines: '20', probe: true });
  },
);

test.each(['__proto__', 'constructor', 'toString'])('%s is an ordinary name', (name) => {
  expect(JSON.stringify(argsOf([`${name}=x`]))).toBe(`{"${name}":"x"}`);
});

test.each([
  [['lines'], 'bad_request', '"lines" is not name=value.'],
  [['=20'], 'bad_request', '"=20" is not name=value.'],
  [[':=20'], 'bad_request', '":=20" is not name=value.'],
  [['lines=1', 'lines=2'], 'bad_request', 'lines is given twice.'],
  [['files=a', 'files:=[]'], 'bad_request', 'files is given twice.'],
  [['probe:=tru'], 'validation', 'What follows probe:= is not JSON.'],
])('%j are refused', (words, errorClass, message) => {
  expect(() => argsOf(words)).toThrow(
    expect.objectContaining({ class: errorClass, message }) as Error,
  );
});
