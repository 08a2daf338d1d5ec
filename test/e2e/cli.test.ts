import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { BIN, createHome, finished, start } from './exai.ts';

verifies('cli:help', 'every command in the overview has a help text', async () => {
  const { exai } = createHome();
  const overview = await exai(['--help']);
  expect(await exai([])).toEqual(overview);
  expect(await exai(['help'])).toEqual(overview);
  const groups = overview.stdout
    .split('\n\n')
    .filter((part) => /^[A-Z][a-z ]+:\n {2}[a-z]/.test(part))
    .map((part) => part.split('\n'));
  const names = groups.flatMap(([, ...lines]) =>
    lines.map((line) => line.trim().split(/ {2,}/)[0] ?? ''),
  );
  expect(groups.map(([title]) => title)).toContain('Daemon:');
  expect(names).toContain('serve');
  const { commands } = JSON.parse((await exai(['--help', '--json'])).stdout) as {
    commands: { name: string }[];
  };
  expect(names.toSorted()).toEqual(commands.map(({ name }) => name).toSorted());

  const helps = await Promise.all(names.map((name) => exai([...name.split(' '), '--help'])));
  for (const [index, { code, stdout }] of helps.entries()) {
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: exai ${names[index]}`)]);
  }
  expect((await exai(['help', 'keys', 'add'])).stdout).toContain('Usage: exai keys add <name>');
  expect((await exai(['keys'])).stdout).toContain('keys remove');
});

verifies('cli:help', 'with --json every help is one document', async () => {
  const { exai } = createHome();
  const document = async (...args: string[]) => {
    const { code, stdout } = await exai([...args, '--json']);
    expect(code).toBe(0);
    return JSON.parse(stdout) as { commands: { name: string; summary: string }[] };
  };
  const { commands } = await document('--help');
  expect(commands).toContainEqual({
    name: 'stop',
    summary: 'Stop the daemon and wait until it has ended',
  });
  for (const asked of [['-h'], ['help']]) expect(await document(...asked)).toEqual({ commands });
  const keys = commands.filter(({ name }) => name.startsWith('keys '));
  expect(await document('keys')).toEqual({ commands: keys });
  expect(await document('--version')).toEqual(await document('version'));

  const logs = await document('logs', '--help');
  expect(logs).toMatchObject({ name: 'logs', usage: 'exai logs [options]' });
  expect(await document('help', 'logs')).toEqual(logs);
});

verifies('cli:help', 'an unknown command or option suggests the nearest', async () => {
  const { exai } = createHome();
  const command = await exai(['stauts']);
  expect([command.code, command.stdout]).toEqual([2, '']);
  expect(command.stderr).toContain('did you mean "status"?');
  expect((await exai(['status', '--jsn'])).stderr).toContain('did you mean "--json"?');
  expect((await exai(['-v'])).stderr).toContain('did you mean "-V"?');
  expect((await exai(['keys', 'tset'])).stderr).toContain('did you mean "keys test"?');
  expect((await exai(['constructor'])).stderr).toContain('Unknown command');
  // A destructive command is never suggested.
  for (const slip of [['restor'], ['stpo'], ['keys', 'remov'], ['token', 'rotat']]) {
    expect((await exai(slip)).stderr).not.toContain('did you mean');
  }
});

verifies(
  'cli:exit-codes',
  'a failure has the exit code of its class, and --json gives it as data',
  async () => {
    const { path, exai } = createHome();
    const failures: [string[], number, string][] = [
      [['nonsense'], 2, 'bad_request'],
      [['serve', '--port', 'many'], 3, 'validation'],
      [['keys', 'add', 'nobody'], 3, 'validation'],
      [['serve', '--host', '0.0.0.0'], 22, 'not_configured'],
      [['logs'], 6, 'not_found'],
    ];
    for (const [args, code, errorClass] of failures) {
      const words = await exai(args);
      expect([words.code, words.stdout]).toEqual([code, '']);
      expect(words.stderr).toMatch(/^exai: .+\n {2}fix: .+\n$/);
      const data = await exai([...args, '--json']);
      expect([data.code, data.stderr]).toEqual([code, '']);
      expect(JSON.parse(data.stdout)).toMatchObject({ error: { class: errorClass } });
    }
    writeFileSync(path('config.json'), '{ "port": ');
    const broken = await exai(['config', 'show', '--json']);
    expect([broken.code, JSON.parse(broken.stdout)]).toMatchObject([
      3,
      { error: { class: 'validation' } },
    ]);
  },
);

verifies('cli:exit-codes', 'a reader that goes away ends the program quietly', () => {
  const script = `"${process.execPath}" "${BIN}" config show | head -n 1`;
  const shown = execFileSync('bash', ['-o', 'pipefail', '-c', script], {
    env: { PATH: process.env['PATH'], EXAI_HOME: '/nonexistent/exai' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(shown).toMatch(/^host/);
});

verifies('cli:start', '--version and --help load no package', async () => {
  const { root } = createHome();
  for (const flag of ['--version', '--help']) {
    const loaded = await finished(start(root, [flag], { env: { NODE_DEBUG: 'esm,module' } }));
    expect(loaded.code).toBe(0);
    // With a trailing slash: Node also names paths that it would search.
    expect(loaded.stderr).not.toContain('node_modules/');
  }
});
