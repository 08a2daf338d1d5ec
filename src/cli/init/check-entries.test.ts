import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '#app/system.ts';
import { checkEntries, serverOf } from './check-entries.ts';
import { createUser } from './init.fixture.ts';
import { initExitCode, outcomeJson } from './outcome.ts';
import type { PathContext } from './paths.ts';

const ENTRY = { command: 'exai', args: ['stdio'] };

test('an entry is started with the variables that clients pass on, and none of this shell', () => {
  const machine: PathContext = {
    platform: 'linux',
    home: '/home/ada',
    env: {
      HOME: '/home/ada',
      LANG: 'C.UTF-8',
      EXAI_PORT: '1',
      EXAI_HOME: '/elsewhere',
      GLM_API_KEY: 'k',
      PATH: '/home/ada/.npm/_npx/1/node_modules/.bin:/p/node_modules/.bin:/opt/bin:/usr/bin',
    },
  };
  const passed = { HOME: '/home/ada', LANG: 'C.UTF-8' };
  expect(serverOf({ startedFrom: 'shell' }, ENTRY, machine)).toEqual({
    ...ENTRY,
    cwd: '/home/ada',
    env: { ...passed, PATH: '/opt/bin:/usr/bin' },
  });
  const withHome = { ...ENTRY, env: { EXAI_HOME: '/e' } };
  expect(serverOf({ startedFrom: 'desktop' }, withHome, machine).env).toEqual({
    ...passed,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    EXAI_HOME: '/e',
  });
});

/** A server of two tools that notes each start. */
const SERVER = `#!${process.execPath}
require('node:fs').appendFileSync(process.env.HOME + '/starts', process.argv[2] + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'tools/list' ? { tools: [{}, {}] } : {};
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;

function checkingUser() {
  const user = createUser();
  const bin = join(user.root, 'bin');
  mkdirSync(bin);
  const machine = { ...user.machine, env: { HOME: user.root, PATH: bin } };
  const { signal } = new AbortController();
  const context = { machine, home: user.home, clock: systemClock, signal, token: () => '' };
  const install = () => {
    user.write(join(bin, 'exai'), SERVER);
    chmodSync(join(bin, 'exai'), 0o755);
  };
  return { ...user, context, install };
}

test('entries that are started in the same way are started once, whatever their format', async () => {
  const { root, fileOf, write, read, run, context, install } = checkingUser();
  install();
  for (const id of ['codex', 'opencode', 'claude-code']) write(fileOf(id), '');
  const checked = await checkEntries(run('codex', 'opencode', 'claude-code', 'zed'), context);
  const answers = { is: 'answers', tools: 2 };
  expect(checked.map(({ check }) => check)).toEqual([answers, answers, answers, undefined]);
  expect(read(join(root, 'starts')).toString()).toBe('stdio\n');
  expect(initExitCode(checked, 'all')).toBe(0);
  expect(outcomeJson(checked[0] ?? never())).toMatchObject({ check: { answers: true, tools: 2 } });
});

test('an entry that does not answer is reported with the reason, and fails the command', async () => {
  const { fileOf, write, run, context } = checkingUser();
  write(fileOf('codex'), '');
  const checked = await checkEntries(run('codex'), context);
  expect(checked[0]).toMatchObject({ written: true, check: { is: 'failed' } });
  expect(outcomeJson(checked[0] ?? never())).toMatchObject({
    check: {
      answers: false,
      error: { class: 'not_configured', message: 'exai is not on the PATH of this client.' },
    },
  });
  expect(initExitCode(checked, 'all')).toBe(22);
});

test('an entry that was there already is started, one that is not ours is not', async () => {
  const { fileOf, write, run, context, install } = checkingUser();
  install();
  write(fileOf('codex'), '');
  write(fileOf('gemini-cli'), '{"mcpServers":{"exai":{"command":"mine"}}}');
  run('codex');
  const checked = await checkEntries(run('codex', 'gemini-cli'), context);
  expect(checked.map(({ state, check }) => [state, check?.is])).toEqual([
    ['connected', 'answers'],
    ['own', undefined],
  ]);
});

test('after Ctrl-C no further entry is started', async () => {
  const { fileOf, write, run, context, install } = checkingUser();
  install();
  write(fileOf('codex'), '');
  const signal = AbortSignal.abort();
  const checked = await checkEntries(run('codex'), { ...context, signal });
  expect(checked.map(({ written, check }) => [written, check])).toEqual([[true, undefined]]);
});

function never(): never {
  throw new Error('no outcome');
}
