import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

verifies('cli:completion', 'bash completes commands, their second words and options', async () => {
  const { exai, path } = createHome();
  const { code, stdout, stderr } = await exai(['completion', 'bash']);
  expect([code, stderr]).toEqual([0, '']);
  writeFileSync(path('exai.bash'), stdout);
  const complete = (...words: string[]) =>
    execFileSync(
      'bash',
      [
        '--norc',
        '-uc',
        'source "$0"; COMP_WORDS=(exai "$@"); COMP_CWORD=$#; _exai; echo "${COMPREPLY[*]-}"',
        path('exai.bash'),
        ...words,
      ],
      { encoding: 'utf8' },
    ).trim();

  expect(complete('res')).toBe('restart results restore');
  expect(complete('keys', '')).toBe('add list test remove');
  expect(complete('keys', 'a')).toBe('add');
  expect(complete('models', 'r')).toBe('refresh');
  expect(complete('logs', '--l')).toContain('--lines');
  expect(complete('keys', 'add', '--')).toBe('--yes --json --help');
  expect(complete('jobs', '--op')).toBe('--open');
  expect(complete('ask', '--model', 'kimi', '--w')).toBe('--web');
  expect(complete('serve', '--auto')).toBe('');
  // Nothing is offered, so that bash completes files.
  expect(complete('restore', 'fi')).toBe('');
  expect(complete('call', 'chat', '--args-file', 'fi')).toBe('');
});

verifies('cli:completion', 'zsh and fish get every command and option, too', async () => {
  const { exai } = createHome();
  const zsh = await exai(['completion', 'zsh']);
  expect(zsh.stdout).toMatch(/^#compdef exai\n/);
  expect(zsh.stdout).toContain("'keys:add, list, test, remove'");
  const fish = await exai(['completion', 'fish']);
  expect(fish.stdout).toContain("-n '__exai_at keys' -f -a add -d 'Store the key of a provider'\n");
  expect(fish.stdout).toContain("-n '__exai_in models; and not __exai_in models refresh' ");

  const help = JSON.parse((await exai(['--help', '--json'])).stdout) as {
    commands: { summary: string }[];
  };
  for (const { summary } of help.commands) {
    expect(zsh.stdout).toContain(`:${summary}'`);
    expect(fish.stdout).toContain(`-d '${summary}'`);
  }
});

verifies('cli:completion', 'an unknown shell is named, with those that are known', async () => {
  const { exai } = createHome();
  const failed = await exai(['completion', 'bsh']);
  expect([failed.code, failed.stdout]).toEqual([2, '']);
  expect(failed.stderr).toContain('did you mean "bash"?');
  expect((await exai(['completion'])).stderr).toContain('<shell> is missing');
});
