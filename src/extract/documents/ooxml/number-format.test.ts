import { expect, test } from 'vitest';
import { builtInFormat, compileNumberFormat } from './number-format.ts';

const ROWS: readonly (readonly [code: string, value: number, shown: string])[] = [
  ['General', 0.1 + 0.2, '0.3'],
  ['0.00', 3, '3.00'],
  ['#,##0', 3750, '3750'],
  ['"$"#,##0.00', 99, '$99.00'],
  ['_-* #,##0.00\\ [$€-407]_-;-* #,##0.00\\ [$€-407]_-;_-* "-"??\\ [$€-407]_-', -5, '-5.00 €'],
  ['0%', 0.256, '26%'],
  ['0.0%', 0.256, '25.6%'],
  ['00000', 501, '00501'],
  ['000-00-0000', 123456789, '123-45-6789'],
  ['0.0" kg"', 2.5, '2.5 kg'],
  ['"Yes";"Yes";"No"', 1, 'Yes'],
  ['"Yes";"Yes";"No"', 0, 'No'],
  ['yyyy-mm-dd', 43363, '2018-09-20'],
  ['m/d/yy h:mm', 43363.5, '2018-09-20 12:00'],
  ['[$-409]d\\-mmm\\-yyyy;@', 43363, '2018-09-20'],
  ['mmm-yy', 43363, 'Sep-18'],
  ['h:mm AM/PM', 0.75, '6:00 PM'],
  ['[h]:mm', 1.5, '36:00'],
  ['yyyy"年"m"月"d"日"', 43363, '2018-09-20'],
  ['[h'.repeat(50_000), 1.25, '1.25'],
  ['[Red]0.0;[Blue]-0.0', 1.25, '1.25'],
];

test.each(ROWS)('%s writes %d as %s', (code, value, shown) => {
  expect(compileNumberFormat(code, '1900')(value)).toBe(shown);
});

test('built-in formats are dates, times and percentages', () => {
  expect(compileNumberFormat(builtInFormat(14), '1900')(43363)).toBe('2018-09-20');
  expect(compileNumberFormat(builtInFormat(14), '1904')(0)).toBe('1904-01-01');
  expect(compileNumberFormat(builtInFormat(10), '1900')(0.5)).toBe('50.00%');
  expect(compileNumberFormat(builtInFormat(0), '1900')(43363)).toBe('43363');
});
