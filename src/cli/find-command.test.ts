import { expect, test } from 'vitest';
import type { CommandRow } from './command-table.ts';
import { findCommand } from './find-command.ts';

const ROWS: CommandRow[] = ['serve', 'keys add', 'keys list'].map((name) => ({
  name,
  summary: name,
  load: () => Promise.reject(new Error('not loaded')),
}));

test.each([
  [['serve', '--port', '1'], 'serve', ['--port', '1']],
  [['keys', 'add', 'kimi'], 'keys add', ['kimi']],
])('%j is the command %j', (argv, name, rest) => {
  expect(findCommand(argv, ROWS)).toMatchObject({ is: 'command', row: { name }, rest });
});

test('the first word of two alone lists what it has', () => {
  expect(findCommand(['keys', '--help'], ROWS)).toMatchObject({
    is: 'group',
    rows: [{ name: 'keys add' }, { name: 'keys list' }],
  });
});

test.each([
  [['sreve'], 'Unknown command "sreve", did you mean "serve"?'],
  [['keys', 'ad'], 'Unknown command "keys ad", did you mean "keys add"?'],
  [['kyes', 'list'], 'Unknown command "kyes list", did you mean "keys list"?'],
  [['kyes', 'xyzzyxyzzy'], 'Unknown command "kyes xyzzyxyzzy", did you mean "keys"?'],
  [['kyes'], 'Unknown command "kyes", did you mean "keys"?'],
  [['sreve', 'keys'], 'Unknown command "sreve", did you mean "serve"?'],
  [['keys', 'xyzzyxyzzy'], 'Unknown command "keys xyzzyxyzzy".'],
  [['xyzzy'], 'Unknown command "xyzzy".'],
  [['--json', 'serve'], 'Unknown option "--json". Options come after a command.'],
  [['-x'], 'Unknown option "-x". Options come after a command.'],
  [['-v'], 'Unknown option "-v", did you mean "-V"?'],
  [['--verison'], 'Unknown option "--verison", did you mean "--version"?'],
])('%j is refused', (argv, message) => {
  expect(() => findCommand(argv, ROWS)).toThrow(
    expect.objectContaining({ class: 'bad_request', message }) as Error,
  );
});

test.each([
  [['keys', 'xyzzyxyzzy'], 'exai keys --help'],
  [['kyes', 'list'], 'exai keys --help'],
  [['kyes'], 'exai --help'],
  [['xyzzy'], 'exai --help'],
])('what can be said after %j is told by %s', (argv, fix) => {
  expect(() => findCommand(argv, ROWS)).toThrow(expect.objectContaining({ fix }) as Error);
});
