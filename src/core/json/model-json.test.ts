import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areCutOff, findJson, findObject, readArguments, repairArguments } from './model-json.ts';

/** The first value that is found. */
const first = (text: string) => findJson(text).next().value?.value;
const fence = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

/** What `findObject` finds when it accepts everything. */
const found = (said: string) => findObject(said, (value) => value);
const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue(), { minKeys: 1 });

describe('all three uses', () => {
  const FORMS: Readonly<Record<string, (text: string) => string>> = {
    alone: (text) => text,
    'with space around it': (text) => `\n ${text} \n`,
    'in fences': fence,
    'in fences without a language': (text) => `\`\`\`\n${text}\n\`\`\``,
    'in fences on one line': (text) => `\`\`\`json${text}\`\`\``,
    twice: (text) => text + text,
    'twice, with a line break': (text) => `${text}\n${text}\n`,
    'as a JSON string': (text) => JSON.stringify(text),
  };

  test.each(Object.entries(FORMS))('read the same object that is written %s', (_, form) => {
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = form(JSON.stringify(value, undefined, indent));
        const expected: unknown = JSON.parse(JSON.stringify(value));
        expect(readArguments(text)).toEqual({ is: 'read', value: expected });
        expect([...findJson(text)].find((each) => typeof each.value === 'object')?.value).toEqual(
          expected,
        );
        expect(found(text)).toEqual(expected);
      }),
    );
  });

  test('find no object in a word', () => {
    for (const text of ['no', fence('no'), '```no```', '"no"', 'null', '7']) {
      expect(readArguments(text)).toEqual({ is: 'unreadable', code: 'not_an_object' });
      expect(found(text)).toBeUndefined();
    }
  });
});

describe('arguments of a tool', () => {
  test.each([
    ['', { is: 'read', value: {} }],
    ['  \n', { is: 'read', value: {} }],
    ['{"a":"```"}', { is: 'read', value: { a: '```' } }],
    ['{"a":1', { is: 'unreadable', code: 'cut_off' }],
    ['{', { is: 'unreadable', code: 'cut_off' }],
    ['```json\n{"a":1', { is: 'unreadable', code: 'cut_off' }],
    ['```', { is: 'unreadable', code: 'cut_off' }],
    ['``````', { is: 'unreadable', code: 'cut_off' }],
    ['```json\n```', { is: 'read', value: {} }],
    ['```\n```', { is: 'read', value: {} }],
    ['{"a":1,}', { is: 'unreadable', code: 'malformed' }],
    ['{"a": "say "hi" now"}', { is: 'unreadable', code: 'malformed' }],
    ['{\\"a\\": 1}', { is: 'unreadable', code: 'malformed' }],
    ['{"a": yes}', { is: 'unreadable', code: 'malformed' }],
    ['{"a": tru', { is: 'unreadable', code: 'cut_off' }],
    ['{"a": -1.5e', { is: 'unreadable', code: 'cut_off' }],
    ['{"a": "x\n', { is: 'unreadable', code: 'cut_off' }],
    ['{"a":1}{"b":', { is: 'unreadable', code: 'cut_off' }],
    ['{"a":1}{"b":2}', { is: 'unreadable', code: 'several' }],
    ['[{"a":1}]', { is: 'unreadable', code: 'not_an_object' }],
    ['Sure: {"a":1}', { is: 'unreadable', code: 'not_an_object' }],
    ['"{\\"a\\":"', { is: 'unreadable', code: 'not_an_object' }],
    [`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, { is: 'unreadable', code: 'too_large' }],
  ])('%.30j are told apart', (text, expected) => {
    expect(readArguments(text)).toEqual(expected);
    expect(areCutOff(text)).toBe('code' in expected && expected.code === 'cut_off');
  });

  test('that are cut off anywhere are never completed', () => {
    fc.assert(
      fc.property(object, fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        expect(readArguments(cut)).toEqual({ is: 'unreadable', code: 'cut_off' });
      }),
    );
  });
});

describe('arguments that can be repaired', () => {
  test.each([
    ['{"a": 1}', '{"a": 1}'],
    ['', '{}'],
    [fence('{"a":1}'), '{"a":1}'],
    ['{"a":1}{"a":1}', '{"a":1}'],
    ['"{\\"a\\":1}"', '{"a":1}'],
    ['{"a":[1,],}', '{"a":[1]}'],
    ['{"a":"x\ny"}', String.raw`{"a":"x\ny"}`],
  ])('%.30j are', (text, repaired) => {
    expect(repairArguments(text)).toBe(repaired);
  });

  test.each([
    '{"a":1',
    '```json\n{"a":1',
    '{"a": "say "hi" now"}',
    '{"a":1}{"b":2}',
    '[{"a":1}]',
    'Sure: {"a":1}',
    'no',
    '{"a":1} and more',
  ])('%j are not', (text) => {
    expect(repairArguments(text)).toBeUndefined();
  });

  test('are never completed where they are cut off', () => {
    fc.assert(
      fc.property(object, fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        expect(repairArguments(text.slice(0, 1 + (at % (text.length - 1))))).toBeUndefined();
      }),
    );
  });
});

describe('an object in an answer', () => {
  test.each([
    ['{"a": [1, 2,], "b": {"c": "x\ny",},}', { a: [1, 2], b: { c: 'x\ny' } }],
    ['{"a": [1, 2], "b": [3, {"c": 4}, {"d": 5', { a: [1, 2], b: [3, { c: 4 }] }],
    ['{"a": "one\ttwo", "b": "cut of', { a: 'one\ttwo' }],
    ['{"a": [[], [1], [', { a: [[], [1]] }],
  ])('%j is read as far as it is whole', (said, value) => {
    expect(found(said)).toEqual(value);
  });

  test('of truncated text an object is read or nothing, and never anything that is not in it', () => {
    fc.assert(
      fc.property(object, fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        expect(found(text)).toEqual(JSON.parse(text));
        const part = found(text.slice(0, at % text.length));
        for (const key of Object.keys(part ?? {})) expect(text).toContain(JSON.stringify(key));
      }),
    );
  });
});

describe('JSON in an answer', () => {
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
});
