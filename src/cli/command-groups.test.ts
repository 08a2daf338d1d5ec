import { expect, test } from 'vitest';
import { groupCommands } from './command-groups.ts';
import { COMMANDS } from './command-table.ts';

test('every command is under one heading', () => {
  const grouped = groupCommands(COMMANDS).flatMap(({ rows }) => rows.map(({ name }) => name));
  expect(grouped.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});

test('a command without a heading comes last', () => {
  const row = { name: 'juggle', summary: 'Juggle', load: () => Promise.reject(new Error('no')) };
  const { title, rows } = groupCommands([row, ...COMMANDS]).at(-1) ?? {};
  expect([title, rows?.at(-1)]).toEqual(['More', row]);
});
