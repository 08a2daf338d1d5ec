import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspaceBench } from '../workspace.fixture.ts';
import { parseConfig, toBoolean } from './git-settings.ts';

/** Each is read as git itself reads it. */
const TEXTS = [
  '',
  '[core]\n\tbare = false\n',
  '[core] bare = true',
  '[core]\nbare\n',
  '[core]\n\tbare \n\tx=1#2\n',
  '[Core "Sub.Section"]\n\tKeY = Value\n',
  '[a "b\\"c\\\\d\\e"]\nx = 1\n',
  '[a.B]\nx = 1\n',
  '[a]\nx = "  spaces  "  \ny =   bare  words   \n',
  '[a]\nx = "a;b" # c\ny = a"b c"d\nz = \\"q\\"\n',
  '[a]\nx = one \\\n  two\ny = "one \\\n two"\n',
  '[a]\nx = tab\\tline\\nback\\bslash\\\\\n',
  '[a]\r\n\tx = 1\r\n[b]\r\n\ty\r\n',
  '\uFEFF[a]\nx = 1\n',
  '[a]\nx = 1\n[b]\ny = 2\n[a]\nx = 3\n',
  '# only\n; comments\n',
  '[a] ; comment\nx = \n',
  '[a]x=1\ny=2',
  '[include]\n\tpath = /no/such/file\n',
];

const WRONG = [
  '[core]\n\tbare ; yes\n',
  '[a\nx = 1\n',
  '[a]\nx = "open\n',
  '[a]\n1x = 1\n',
  '[a]\nx = \\q\n',
  '[a b]\nx\n',
  '[a]\n= 1\n',
  '\0',
];

test.each(TEXTS)('reads %j as git does', (text) => {
  const bench = createWorkspaceBench();
  const path = bench.write('config', text);
  const listed = git(['config', '--file', path, '--list', '--null'], bench.base);
  const expected = new Map<string, string | true>();
  for (const entry of listed.split('\0').filter((part) => part !== '')) {
    const end = entry.indexOf('\n');
    if (end === -1) expected.set(entry, true);
    else expected.set(entry.slice(0, end), entry.slice(end + 1));
  }
  expect(new Map(parseConfig(text))).toEqual(expected);
});

test.each(WRONG)('%j is an invalid configuration, as git finds', (text) => {
  const bench = createWorkspaceBench();
  const path = bench.write('config', text);
  expect(() => git(['config', '--file', path, '--list'], bench.base)).toThrow('Command failed');
  expect(parseConfig(text)).toBeUndefined();
});

test('very many brackets, quotes or blanks are read, and a setting without a section is not', () => {
  for (const piece of ['[', '[a "', '\\\n', ' ', '"', '[a]\n', '#', 'a', '\t;']) {
    expect(() => parseConfig(piece.repeat(250_000))).not.toThrow();
    const text = `[a]\nx = ${piece.repeat(250_000)}`;
    expect(() => parseConfig(text)).not.toThrow();
  }
  expect(parseConfig('x = 1\n')).toBeUndefined();
});

test('yes and no, as git has them', () => {
  const yes = ['true', 'Yes', 'ON', '1', '12', true] as const;
  const no = ['false', 'No', 'off', '0', ''] as const;
  expect(yes.map(toBoolean)).toEqual(yes.map(() => true));
  expect(no.map(toBoolean)).toEqual(no.map(() => false));
  expect(toBoolean('s3cret')).toBeUndefined();
});

function git(args: readonly string[], cwd: string): string {
  const env = { PATH: process.env['PATH'], HOME: join(cwd, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}
