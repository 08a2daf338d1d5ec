import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatCommandHelp } from './command-help.ts';
import { COMMANDS } from './command-table.ts';

test.each(COMMANDS)(
  '$name is in the table as it describes itself',
  async ({ name, summary, load }) => {
    const { command } = await load();
    expect({ name: command.name, summary: command.summary }).toEqual({ name, summary });
  },
);

test('a command lies in the file that its name says, and every file is in the table', () => {
  const files = readdirSync(new URL('commands', import.meta.url));
  const expected = COMMANDS.map(({ name }) => `${name.replace(' ', '-')}.ts`);
  expect(files.toSorted()).toEqual(expected.toSorted());
});

test.each(COMMANDS)(
  '$name is marked as destructive if it removes, stops or replaces something',
  ({ name, effect }) => {
    const verb = name.split(' ').at(-1) ?? '';
    const destroys = [
      'stop',
      'restore',
      'remove',
      'delete',
      'prune',
      'rotate',
      'cancel',
      'unset',
      'logout',
    ];
    // `servers run` removes nothing.
    const isDestructive = destroys.includes(verb) || name === 'retention run';
    expect(effect === 'destructive').toBe(isDestructive);
  },
);

test.each(COMMANDS)('the help of $name fits a terminal', async ({ load }) => {
  const { command } = await load();
  const lines = formatCommandHelp(command).split('\n');
  expect(lines.filter((line) => line.length > 90)).toEqual([]);
});
