import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { ALL, faultOf, type Desk } from '../workspace.fixture.ts';
import { createVictim } from './hostile.fixture.ts';

function left(desk: Desk): readonly string[] {
  return desk.has('scratch') ? readdirSync(join(desk.base, 'scratch')) : [];
}

/** Runs the real one, and tells what it was pointed at. */
function watchedGit(desk: Desk, then = ''): string {
  const real = desk.git(desk.root, '--exec-path').trim();
  const tell = `stat -c '%a %n' "$GIT_DIR" "$GIT_DIR"/* >> ${desk.base}/seen 2>/dev/null`;
  const script = `#!/bin/sh\ncase "$1" in diff) ${tell}; ${then};; esac\nexec ${real}/git "$@"\n`;
  chmodSync(desk.write('bin/git', script), 0o755);
  return `${join(desk.base, 'bin')}:${process.env['PATH']}`;
}

test('git is pointed at a folder for its owner alone, which is removed afterwards', async () => {
  const desk = createVictim();
  const surroundings = { PATH: watchedGit(desk), HOME: desk.home };
  await desk.with({ surroundings }).changes(ALL, desk.reader);
  const scratch = join(desk.base, 'scratch');
  expect(desk.read('seen')).toMatch(new RegExp(`^700 ${scratch}/git-\\w+\\n`));
  expect(desk.read('seen')).not.toContain(join(desk.root, '.git'));
  expect(statSync(scratch).mode & 0o777).toBe(0o700);
  expect(left(desk)).toEqual([]);
});

test('it is removed where reading fails, too', async () => {
  const desk = createVictim();
  desk.write('project/.git/index', 'garbage');
  await faultOf(desk.workspace.changes(ALL, desk.reader));
  expect(left(desk)).toEqual([]);
});

test('it is removed where the caller leaves in the middle', async () => {
  const desk = createVictim();
  const surroundings = { PATH: watchedGit(desk, 'exec sleep 600'), HOME: desk.home };
  const caller = new AbortController();
  const by = { ...desk.reader, signal: caller.signal };
  const work = faultOf(desk.with({ surroundings }).changes(ALL, by));
  await expect.poll(() => desk.has('seen')).toBe(true);
  expect(left(desk)).toHaveLength(1);
  caller.abort(new CallError('cancelled', 'The caller left.'));
  expect(await work).toMatchObject({ class: 'cancelled' });
  await expect.poll(() => left(desk)).toEqual([]);
});

test('what a killed daemon left is removed by the next, and nothing else', async () => {
  const desk = createVictim();
  mkdirSync(join(desk.base, 'scratch/git-Ab12Cd/info'), { recursive: true });
  writeFileSync(join(desk.base, 'scratch/git-Ab12Cd/info/exclude'), 'x');
  writeFileSync(join(desk.base, 'scratch/other'), 'x');
  await desk.workspace.changes(ALL, desk.reader);
  expect(left(desk)).toEqual(['other']);
});

test('a folder that cannot be made is told, and tried again', async () => {
  const desk = createVictim();
  desk.write('scratch', 'in the way');
  const workspace = desk.with({});
  expect(await faultOf(workspace.changes(ALL, desk.reader))).toBeInstanceOf(CallError);
  desk.remove(join(desk.base, 'scratch'));
  expect((await workspace.changes(ALL, desk.reader)).files).toHaveLength(1);
});
