import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { ALL, faultOf, type WorkspaceBench } from '../workspace.fixture.ts';
import { createVictim } from './hostile.fixture.ts';

function left(bench: WorkspaceBench): readonly string[] {
  return bench.has('scratch') ? readdirSync(join(bench.base, 'scratch')) : [];
}

/** Runs the real git, and records its arguments. */
function watchedGit(bench: WorkspaceBench, then = ''): string {
  const real = bench.git(bench.root, '--exec-path').trim();
  const tell = `stat -c '%a %n' "$GIT_DIR" "$GIT_DIR"/* >> ${bench.base}/seen 2>/dev/null`;
  const script = `#!/bin/sh\ncase "$1" in diff) ${tell}; ${then};; esac\nexec ${real}/git "$@"\n`;
  chmodSync(bench.write('bin/git', script), 0o755);
  return `${join(bench.base, 'bin')}:${process.env['PATH']}`;
}

test('git is pointed at a folder for its owner alone, which is removed afterwards', async () => {
  const bench = createVictim();
  const surroundings = { PATH: watchedGit(bench), HOME: bench.home };
  await bench.with({ environment: surroundings }).changes(ALL, bench.reader);
  const scratch = join(bench.base, 'scratch');
  expect(bench.read('seen')).toMatch(new RegExp(`^700 ${scratch}/git-\\w+\\n`));
  expect(bench.read('seen')).not.toContain(join(bench.root, '.git'));
  expect(statSync(scratch).mode & 0o777).toBe(0o700);
  expect(left(bench)).toEqual([]);
});

test('it is removed where reading fails, too', async () => {
  const bench = createVictim();
  bench.write('project/.git/index', 'garbage');
  await faultOf(bench.workspace.changes(ALL, bench.reader));
  expect(left(bench)).toEqual([]);
});

test('it is removed where the caller leaves in the middle', async () => {
  const bench = createVictim();
  const surroundings = { PATH: watchedGit(bench, 'exec sleep 600'), HOME: bench.home };
  const caller = new AbortController();
  const by = { ...bench.reader, signal: caller.signal };
  const work = faultOf(bench.with({ environment: surroundings }).changes(ALL, by));
  await expect.poll(() => bench.has('seen')).toBe(true);
  expect(left(bench)).toHaveLength(1);
  caller.abort(new CallError('cancelled', 'The caller left.'));
  expect(await work).toMatchObject({ class: 'cancelled' });
  await expect.poll(() => left(bench)).toEqual([]);
});

test('what a killed daemon left is removed by the next, and nothing else', async () => {
  const bench = createVictim();
  mkdirSync(join(bench.base, 'scratch/git-Ab12Cd/info'), { recursive: true });
  writeFileSync(join(bench.base, 'scratch/git-Ab12Cd/info/exclude'), 'x');
  writeFileSync(join(bench.base, 'scratch/other'), 'x');
  await bench.workspace.changes(ALL, bench.reader);
  expect(left(bench)).toEqual(['other']);
});

test('a folder that cannot be created gives an error, and is tried again', async () => {
  const bench = createVictim();
  bench.write('scratch', 'in the way');
  const workspace = bench.with({});
  expect(await faultOf(workspace.changes(ALL, bench.reader))).toBeInstanceOf(CallError);
  bench.remove(join(bench.base, 'scratch'));
  expect((await workspace.changes(ALL, bench.reader)).files).toHaveLength(1);
});
