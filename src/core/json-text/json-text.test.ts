import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultText } from './json-fault.ts';
import { readJsonText, jsonValueOf, type JsonTextOptions } from './json-text.ts';

function fault(text: string, options?: Partial<JsonTextOptions>): string {
  const read = readJsonText(text, options);
  if (read.is === 'read') return 'accepted';
  return `${read.fault.line}:${read.fault.column} ${faultText(read.fault)}`;
}

function valueOf(text: string, options?: Partial<JsonTextOptions>): unknown {
  const read = readJsonText(text, options);
  return read.is === 'read' ? jsonValueOf(read.root) : read.fault;
}

test('it reads every JSON text as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
      const text = JSON.stringify(JSON.parse(json), null, indent);
      expect(valueOf(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('it refuses what JSON.parse refuses, and nothing else', () => {
  const piece = fc.constantFrom(
    ...'{}[]:,"\\'.split(''),
    'true',
    'null',
    '1',
    '-',
    '.5',
    'e3',
    '0',
    ' ',
    '\n',
    '\u0001',
    'é',
    '\\u00e9',
    '"a"',
    '"b":',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const { is } = readJsonText(text, { repeatedNames: 'kept' });
      expect([text, is === 'read']).toEqual([text, accepts(text)]);
    }),
    { numRuns: 3000 },
  );
});

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['', '1:1 The file ends here, but a value is missing'],
  ['{', '1:2 The file ends here, but a } is missing'],
  ['[1', '1:3 The file ends here, but a ] is missing'],
  ['{"a": 1,}', '1:9 The comma before this } must go'],
  ['[1,]', '1:4 A value is missing here; the last one must not be followed by a comma'],
  ['{"a": , "b": 1}', '1:7 A value is missing before this comma'],
  ['{"a" 1}', '1:6 A colon is missing here, after a name'],
  ['{a: 1}', '1:2 A name in double quotes is missing here'],
  ["{'a': 1}", '1:2 A name in double quotes is missing here'],
  ['{"a": \'b\'}', '1:7 Text stands in double quotes, not single ones'],
  ['{"a": b}', '1:7 Text stands in double quotes'],
  ['{"a": True}', '1:7 true, false and null are written in small letters'],
  ['{"a": 01}', '1:7 This is not a number as JSON writes it: digits only, no leading zero'],
  ['{"a": +1}', '1:7 This is not a number as JSON writes it: digits only, no leading zero'],
  ['{"a": 1 "b": 2}', '1:9 A comma or } is missing here'],
  ['{"a": 1} // end', '1:10 The file should end here, after its one value'],
  ['{ // first\n}', '1:3 JSON has no comments'],
  ['{"a": 1, # second\n}', '1:10 JSON has no comments'],
  ['{"a": "b\n"}', '1:7 This text is not closed on its line: a " is missing'],
  [String.raw`{"a": "C:\Users"}`, String.raw`1:10 A backslash is written twice in JSON, as \\`],
  ['{"a": "b\tc"}', '1:9 An invisible control character stands in this text'],
  ['{"a": 1, "a": 2}', '1:10 "a" is here for the second time; the first is on line 1'],
  ['{"é🙂": x}', '1:8 Text stands in double quotes'],
  ['\n\n  !', '3:3 This character cannot stand here'],
])('%j is refused: %s', (text, message) => {
  expect(fault(text)).toBe(message);
});

test('absurd depth is refused instead of exhausting the stack', () => {
  expect(fault('['.repeat(100_000))).toBe('1:66 This is nested over 64 levels deep');
});

test('a key such as __proto__ is a key like any other', () => {
  const value = valueOf('{"__proto__": {"port": 1}}') as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('comments and trailing commas are read where the dialect has them', () => {
  const commented = '// a\n{"a": /* b */ [1, 2]}';
  const trailing = '{"a": [1, 2,],}';
  expect(valueOf(commented, { dialect: 'comments' })).toEqual({ a: [1, 2] });
  expect(valueOf(commented, { dialect: 'lenient' })).toEqual({ a: [1, 2] });
  expect(valueOf(trailing, { dialect: 'lenient' })).toEqual({ a: [1, 2] });
  expect(fault(trailing, { dialect: 'comments' })).toMatch(/^1:13 A value is missing here/);
  expect(fault(commented)).toBe('1:1 JSON has no comments');
  for (const text of ['[,]', '{,}', '[1,,]', '/* open'])
    expect(readJsonText(text, { dialect: 'lenient' }).is).toBe('faulty');
});

test('a fault is data with its place', () => {
  expect(readJsonText('{\n  "a": [1\n')).toEqual({
    is: 'faulty',
    fault: { code: 'text_ends', missing: ']', at: 12, line: 3, column: 1 },
  });
  expect(readJsonText('// nothing', { dialect: 'comments' })).toMatchObject({
    fault: { code: 'empty' },
  });
  expect(readJsonText('{"a":1,\n"a":2}')).toMatchObject({
    fault: { code: 'repeated_name', name: 'a', firstLine: 1, line: 2, column: 1 },
  });
});

test('every node knows where it begins and ends', () => {
  const text = ' { "a" : [ 1 , "x" ] } ';
  const read = readJsonText(text);
  const root = read.is === 'read' && read.root.type === 'object' ? read.root : undefined;
  const [member] = root?.members ?? [];
  expect(text.slice(root?.at, root?.end)).toBe('{ "a" : [ 1 , "x" ] }');
  expect(text.slice(member?.keyAt, member?.node.end)).toBe('"a" : [ 1 , "x" ]');
});
