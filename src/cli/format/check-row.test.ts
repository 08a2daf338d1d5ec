import { expect, test } from 'vitest';
import { checkRow } from './check-row.ts';

const io = { charset: 'utf-8', paint: (_: unknown, text: string) => text } as const;

test('names that others chose colour nothing and erase no line', () => {
  const row = checkRow(
    {
      id: 'loop',
      title: 'Event loop',
      status: 'warn',
      detail: 'blocked once during \u001B[31mred\r\u001B[Kforged\nat a second line',
      fix: 'exai servers restart \u001B[1mbold',
    },
    io,
  );
  for (const control of ['\u001B', '\r']) expect(row.join(' ')).not.toContain(control);
  expect(row).toEqual([
    '!',
    'Event loop',
    expect.stringMatching(/red.*forged\n {5}at a second line → exai servers restart .*bold$/),
  ]);
});
