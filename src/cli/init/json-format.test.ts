import fc from 'fast-check';
import { parse, type ParseError } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { KeyPath } from './client-definition.ts';
import { SETTINGS_FORMATS, withEntry, withoutEntry } from './edit-settings.ts';
import { SettingsSyntaxError } from './settings-syntax-error.ts';

const PATH: KeyPath = ['mcpServers', 'exai'];
const ENTRY = { command: 'exai', args: ['stdio'] };
const { json, jsonc } = SETTINGS_FORMATS;

test.each([
  ['an empty file', '', '{\n  "mcpServers": {\n    "exai": {\n      "k": 1\n    }\n  }\n}\n'],
  ['an empty object', '{}', '{\n  "mcpServers": {\n    "exai": {\n      "k": 1\n    }\n  }\n}'],
  ['a blank object', '{ }\n', '{\n  "mcpServers": {\n    "exai": {\n      "k": 1\n    }\n  }\n}\n'],
  ['minified text', '{"a":1}', '{"a":1,"mcpServers":{"exai":{"k":1}}}'],
  ['one line', '{ "a": 1 }', '{ "a": 1, "mcpServers": { "exai": { "k": 1 } } }'],
  [
    'a comma at the end of one line',
    '{"a": 1,}',
    '{"a": 1, "mcpServers": { "exai": { "k": 1 } },}',
  ],
  [
    'tabs and CRLF',
    '{\r\n\t"mcpServers": {\r\n\t\t"a": 1\r\n\t}\r\n}',
    '{\r\n\t"mcpServers": {\r\n\t\t"a": 1,\r\n\t\t"exai": {\r\n\t\t\t"k": 1\r\n\t\t}\r\n\t}\r\n}',
  ],
  [
    'a comment at the end of the last line',
    '{\n  "mcpServers": {\n    "a": 1 // one\n    // two\n  }\n}',
    '{\n  "mcpServers": {\n    "a": 1, // one\n    // two\n    "exai": {\n      "k": 1\n    }\n  }\n}',
  ],
  [
    'a trailing comma',
    '{\n  "mcpServers": {\n    "a": 1, // one\n  },\n}',
    '{\n  "mcpServers": {\n    "a": 1, // one\n    "exai": {\n      "k": 1\n    },\n  },\n}',
  ],
  [
    'nothing but a comment within',
    '{\n  "mcpServers": { /* none */ }\n}',
    '{\n  "mcpServers": { /* none */\n    "exai": {\n      "k": 1\n    }\n  }\n}',
  ],
  [
    'nothing but comments',
    '// mine\n',
    '// mine\n{\n  "mcpServers": {\n    "exai": {\n      "k": 1\n    }\n  }\n}\n',
  ],
])('an entry is put into %s', (_, before, after) => {
  expect(withEntry(jsonc, before, PATH, { k: 1 }).text).toBe(after);
});

test.each([
  [
    'a minified text',
    '{"mcpServers":{"a":1,"exai":{"k":2}}}',
    '{"mcpServers":{"a":1,"exai":{"k":1}}}',
  ],
  [
    'lines',
    '{\n  "mcpServers": {\n    "exai": {"k": 2}, // ours\n    "b": 1\n  }\n}',
    '{\n  "mcpServers": {\n    "exai": {\n      "k": 1\n    }, // ours\n    "b": 1\n  }\n}',
  ],
])('an entry is renewed in %s', (_, before, after) => {
  expect(withEntry(jsonc, before, PATH, { k: 1 }).text).toBe(after);
});

test.each([
  [
    'the last',
    '{\n  "mcpServers": {\n    "a": 1, // one\n    "exai": {}\n  }\n}',
    '{\n  "mcpServers": {\n    "a": 1 // one\n  }\n}',
  ],
  [
    'the first',
    '{\n  "mcpServers": {\n    "exai": {},\n    "a": 1\n  }\n}',
    '{\n  "mcpServers": {\n    "a": 1\n  }\n}',
  ],
  [
    'one with a comma behind',
    '{\n  "mcpServers": {\n    "a": 1,\n    "exai": {},\n  }\n}',
    '{\n  "mcpServers": {\n    "a": 1,\n  }\n}',
  ],
  [
    'one on a line with others',
    '{"mcpServers": {"a": 1, "exai": {}, "b": 2}}',
    '{"mcpServers": {"a": 1, "b": 2}}',
  ],
  [
    'one with a comment before its comma',
    '{"mcpServers":{"exai":{} /* x */,"b":2}}',
    '{"mcpServers":{ /* x */"b":2}}',
  ],
  ['the only one', '{\n  "mcpServers": {\n    "exai": {}\n  }\n}', '{\n  "mcpServers": {\n  }\n}'],
])('an entry is taken out: %s', (_, before, after) => {
  expect(withoutEntry(jsonc, before, PATH, PATH)).toBe(after);
});

test('what was made to hold the entry goes with it, unless something else is in it', () => {
  const made: KeyPath = ['mcpServers'];
  expect(withoutEntry(json, '{"a":1,"mcpServers":{"exai":{}}}', PATH, made)).toBe('{"a":1}');
  const shared = '{"a":1,"mcpServers":{"exai":{},"b":{}}}';
  expect(withoutEntry(json, shared, PATH, made)).toBe('{"a":1,"mcpServers":{"b":{}}}');
});

test.each([
  ['json', '{\n  "a": 1,\n}', 3, 1, 'The comma before this } must go'],
  ['json', '{ // no\n}', 1, 3, 'JSON has no comments'],
  ['json-comments', '{\n  "a": 1, // one\n}', 3, 1, 'The comma before this } must go'],
  [
    'json-comments',
    '{ // a\n  "a": [1,]\n}',
    2,
    11,
    'A value is missing here; the last one must not be followed by a comma',
  ],
  ['jsonc', '{\n  "a": 1\n  "b": 2\n}', 3, 3, 'A comma or } is missing here'],
  ['jsonc', '{\n  "a": tru\n}', 2, 8, 'Text stands in double quotes'],
  ['jsonc', '{"a": 1} x', 1, 10, 'The file should end here, after its one value'],
  ['jsonc', '{"a": "b', 1, 7, 'This text is not closed on its line: a " is missing'],
  ['jsonc', '{"a": 1, /* open', 1, 10, 'JSON has no comments'],
  ['jsonc', '[1]', 1, 1, 'The file should hold an object, in { and }'],
  ['jsonc', '{"mcpServers": []}', 1, 16, '"mcpServers" should be an object, in { and }'],
  ['jsonc', '{"mcpServers": null}', 1, 16, '"mcpServers" should be an object, in { and }'],
  [
    'jsonc',
    '{"mcpServers":{},\n"mcpServers":{}}',
    2,
    1,
    '"mcpServers" stands here for the second time',
  ],
] as const)('%s: %j is refused at %i:%i', (format, text, line, column, message) => {
  const refusal = thrown(() => withEntry(SETTINGS_FORMATS[format], text, PATH, ENTRY));
  expect(refusal).toMatchObject({ message, position: { line, column } });
});

test('what is nested absurdly deep is refused', () => {
  const refusal = thrown(() => withEntry(json, `{"a":${'['.repeat(1_000_000)}`, PATH, ENTRY));
  expect(refusal.message).toBe('This is nested over 400 levels deep');
});

test('what a change would touch besides is refused', () => {
  const careless = {
    ...jsonc,
    set: () => '{"mcpServers":{"exai":{"command":"exai","args":["stdio"]}}}',
  };
  expect(thrown(() => withEntry(careless, '{"a":1}', PATH, ENTRY)).message).toMatch(
    /without touching/,
  );
  const forgetful = { ...jsonc, remove: () => '{"mcpServers":{}}' };
  const text = '{"a":1,"mcpServers":{"exai":{}}}';
  expect(thrown(() => withoutEntry(forgetful, text, PATH, PATH)).message).toMatch(
    /without touching/,
  );
});

function thrown(work: () => unknown): SettingsSyntaxError {
  try {
    work();
  } catch (fault) {
    if (fault instanceof SettingsSyntaxError) return fault;
    throw fault;
  }
  throw new Error('nothing was refused');
}

// A text is generated from a value and a list of choices: the content of each gap, and trailing
// commas.
const GAPS = [
  '',
  ' ',
  '\n',
  '\n  ',
  '\r\n\t',
  ' // it\'s {"x": 1,\n',
  '/* "y": [ */',
  ' /* a\n b */ ',
  '\n// end\n',
];
const choices = fc.infiniteStream(fc.nat(GAPS.length - 1));

function writeJsonc(value: unknown, next: () => number): string {
  const gap = () => GAPS[next()] ?? '';
  const list = (items: readonly string[], open: string, close: string) => {
    const comma = items.length > 0 && next() < 3 ? ',' : '';
    return open + gap() + items.join(`${gap()},${gap()}`) + gap() + comma + gap() + close;
  };
  if (Array.isArray(value)) {
    return list(
      value.map((item) => writeJsonc(item, next)),
      '[',
      ']',
    );
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}${gap()}:${gap()}${writeJsonc(inner, next)}`,
  );
  return list(members, '{', '}');
}

const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'exai', 'a'));
const documents = fc
  .record({
    root: fc.dictionary(name, fc.jsonValue({ maxDepth: 3 })),
    servers: fc.option(
      fc.dictionary(
        name.filter((key) => key !== 'exai'),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    ),
    choices,
  })
  .map(({ root, servers, choices: stream }) => {
    const { mcpServers: _, ...others } = root;
    const next = () => stream.next().value ?? 0;
    const value = servers === null ? others : { ...others, mcpServers: servers };
    return `${GAPS[next()]}${writeJsonc(value, next)}${GAPS[next()]}`;
  });

const COMMENT = /"(?:[^"\\]|\\.)*"|(\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)/g;
const commentsOf = (text: string) =>
  [...text.matchAll(COMMENT)].flatMap(({ 1: found }) => found ?? []);

function parsed(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return value;
}

verifies(
  'init:careful',
  'whatever else stands in a file survives, byte for byte, and another reader agrees',
  () => {
    fc.assert(
      fc.property(documents, (before) => {
        const { text: after, made } = withEntry(jsonc, before, PATH, ENTRY);

        let start = 0;
        while (start < before.length && before[start] === after[start]) start++;
        let end = 0;
        const most = before.length - start;
        while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
        // A comma and the entry are inserted; the comments between them are kept.
        const between = before.slice(start, before.length - end);
        expect(after.slice(start, after.length - end)).toContain(between.trimEnd());
        expect(
          commentsOf(between)
            .reduce((rest, comment) => rest.replace(comment, ''), between)
            .trim(),
        ).toBe('');
        expect(commentsOf(after)).toEqual(commentsOf(before));

        const value = parsed(after) as { mcpServers: { exai: unknown } };
        expect(value.mcpServers.exai).toEqual(ENTRY);

        // Removing it restores the original.
        const undone = withoutEntry(jsonc, after, PATH, made);
        expect(JSON.stringify(parsed(undone))).toBe(JSON.stringify(parsed(before)));
        expect(commentsOf(undone)).toEqual(commentsOf(before));
        expect(jsonc.at(after, PATH)).toEqual(ENTRY);
      }),
    );
  },
);

test('a reader of ours takes and refuses what JSON.parse does', () => {
  const nearly = fc
    .tuple(
      fc.jsonValue({ maxDepth: 3 }),
      fc.nat(200),
      fc.constantFrom('', ',', '}', '"', 'x', '\n', '0', '\\'),
    )
    .map(([value, at, more]) => {
      const text = JSON.stringify({ value });
      return text.slice(0, at) + more + text.slice(at);
    });
  fc.assert(
    fc.property(nearly, (text) => {
      expect(outcome(() => json.at(text, ['value']))).toEqual(
        outcome(() => (JSON.parse(text) as { value: unknown }).value),
      );
    }),
  );
});

function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    // Both refuse, with different messages.
    return 'refused';
  }
}
