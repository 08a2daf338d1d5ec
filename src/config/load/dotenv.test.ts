import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { parseDotenv, quoteDotenvValue } from './dotenv.ts';
import { removeVariable, setVariable } from '../secrets/dotenv-edit.ts';
import { createReport } from './report.ts';

function parse(text: string) {
  const report = createReport();
  const variables = parseDotenv('.env', text, report);
  const values = Object.fromEntries([...variables].map(([k, v]) => [k, v.value]));
  return { values, notices: report.notices, refusal: report.refusal()?.message };
}

test.each([
  ['A=b', 'b'],
  ['  export A = b  ', 'b'],
  ['A=b\r', 'b'],
  ['A=', ''],
  ['A=b # comment', 'b'],
  ['A=b#c', 'b#c'],
  ['A=# comment', ''],
  ['A="b # c" # d', 'b # c'],
  [String.raw`A="x\n\t\"\\\$y"`, 'x\n\t"\\$y'],
  [String.raw`A="C:\Users"`, String.raw`C:\Users`],
  [String.raw`A='x\n$y'`, String.raw`x\n$y`],
  ["A=it's", "it's"],
  ['A=b=c', 'b=c'],
])('%j means %j', (text, value) => {
  expect(parse(`# head\n\n${text}\n`)).toEqual({
    values: { A: value },
    notices: [],
    refusal: undefined,
  });
});

test.each(['A', '=b', '1A=b', 'A B=c', "A='b", 'A="b', 'A="b" c', 'A="b\\"'])(
  '%j is refused',
  (line) => {
    expect(parse(line).refusal).toMatch(/^\.env:1: /);
  },
);

test('a name that is set twice has its last value, with a notice', () => {
  const { values, notices } = parse('A=1\nB=2\nA=3');
  expect(values).toEqual({ A: '3', B: '2' });
  expect(notices).toEqual([
    notice('variable_repeated', { file: '.env', variable: 'A', lines: [1, 3] }),
  ]);
});

const printable = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
});
const otherLine = fc.oneof(
  fc.constantFrom('', '# KEY=x', 'export OTHER="a b"', 'broken line', 'KEYS=1', 'MY_KEY=2'),
  printable.filter((text) => !/^\s*(?:export\s+)?(KEY|ALIAS)\s*=/.test(text)),
);
const lineEnd = fc.constantFrom('\n', '\r\n');

test('a value that is written is read back, whatever its characters', () => {
  fc.assert(
    fc.property(printable, (text) => {
      const value = text.trim();
      expect(parse(`A=${quoteDotenvValue(value)}`).values).toEqual({ A: value });
    }),
  );
});

test('setting and removing a variable leaves every other line as it was', () => {
  const file = fc.array(fc.oneof(otherLine, fc.constantFrom('KEY=old', ' export ALIAS = older')));
  fc.assert(
    fc.property(file, lineEnd, printable, (lines, end, text) => {
      const before = lines.map((line) => `${line}${end}`).join('');
      const others = removeVariable(before, ['KEY', 'ALIAS']);
      const isOther = (line: string) => !/^(KEY=old| export ALIAS = older)$/.test(line);
      expect(others).toBe(
        lines
          .filter(isOther)
          .map((line) => `${line}${end}`)
          .join(''),
      );
      const after = setVariable(before, ['KEY', 'ALIAS'], text.trim());
      expect(removeVariable(after, ['KEY', 'ALIAS'])).toBe(others);
      expect(parse(after).values['KEY']).toBe(text.trim());
      expect(parse(after).values['ALIAS']).toBeUndefined();
    }),
  );
});

test('a last line without an end gets one before the next', () => {
  expect(setVariable('A=1', ['B'], '2')).toBe('A=1\nB=2\n');
  expect(setVariable('A=1\r\nC=3', ['B'], '2')).toBe('A=1\r\nC=3\r\nB=2\r\n');
  expect(setVariable('', ['B'], '2')).toBe('B=2\n');
});
