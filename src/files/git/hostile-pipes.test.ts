import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createVictim, outcomeOf, pipe, type Hostile } from './hostile.fixture.ts';
import { commit } from './repository.fixture.ts';

/**
 * A pipe without a writer in place of a file blocks whatever opens it. The clock of these tests
 * stands still, so no timeout ends them.
 */
const PIPES: readonly Hostile[] = [
  at('.git/HEAD', 'validation'),
  at('.git/config', 'validation'),
  at('.git/index', 'validation'),
  at('.git/commondir', 'validation'),
  at('.git/shallow', 'validation'),
  at('.git/packed-refs', 'validation', (bench) => bench.git(bench.root, 'pack-refs', '--all')),
  at('.git/refs/heads/main', 'validation'),
  at('.git/info/exclude', 'validation'),
  at('.git/info/attributes', 'validation'),
  at('.git/objects/info/alternates', 'validation'),
  at('.git/objects/info/commit-graph', 'validation'),
  at('.git/objects/info/commit-graphs/commit-graph-chain', 'validation'),
  at('.git/objects/pack/multi-pack-index', 'validation'),
  at(`.git/objects/ab/${'c'.repeat(38)}`, 'validation'),
  at('.gitignore', 'validation'),
  at('.gitattributes', 'validation'),
  at('src/.gitignore', 'validation'),
  at('src/.gitattributes', 'validation'),
  at('src/new/deep/.gitignore', 'validation'),
  at('new/nested/.git/HEAD', 'validation'),
  at('new/nested/.git/commondir', 'validation', (bench) => {
    bench.write('project/new/nested/.git/HEAD', 'ref: refs/heads/main\n');
  }),
  {
    name: 'a pipe as HEAD of the repository that a new file .git leads to',
    comesTo: 'validation',
    prepare(bench) {
      pipe(bench, '.git/elsewhere/HEAD');
      bench.write('project/new/.git', 'gitdir: ../.git/elsewhere\n');
    },
  },
  {
    name: 'a pipe as HEAD of a submodule',
    comesTo: 'validation',
    prepare(bench) {
      const inner = join(bench.root, 'inner');
      mkdirSync(inner);
      bench.git(inner, 'init', '--quiet');
      bench.write('project/inner/x.ts', 'x\n');
      commit(bench, inner);
      bench.git(bench.root, 'add', 'inner');
      bench.remove(join(inner, '.git/HEAD'));
      pipe(bench, 'inner/.git/HEAD');
    },
  },
  // Files that git does not open block nothing.
  at('.gitmodules', 'shown'),
  at('.git/hooks/pre-commit', 'shown'),
  at('src/pipe', 'shown'),
  at('ignored/.gitignore', 'shown', (bench) => {
    bench.write('project/.git/info/exclude', 'ignored\n');
  }),
  at('.git/config.worktree', 'validation', (bench) => {
    bench.git(bench.root, 'config', 'extensions.worktreeConfig', 'true');
  }),
  { ...at('.git/logs/HEAD', 'validation'), wish: { compareTo: 'HEAD@{1}' } },
];

function at(path: string, comesTo: Hostile['comesTo'], before?: Hostile['prepare']): Hostile {
  return {
    name: `a pipe as ${path}`,
    comesTo,
    prepare(bench) {
      before?.(bench);
      bench.remove(join(bench.root, path));
      pipe(bench, path);
    },
  };
}

test.runIf(process.platform !== 'win32').each(PIPES)(
  '$name: $comesTo',
  async ({ prepare, wish, comesTo }) => {
    const bench = createVictim();
    prepare(bench);
    const { is, said } = await outcomeOf(bench, wish);
    const words = comesTo === 'validation' ? /has a pipe, device, socket or folder/ : /a\.ts/;
    expect([is, said]).toEqual([comesTo, expect.stringMatching(words)]);
    expect(bench.clock.waiting).toBe(0);
  },
);

test('a tracked file that became a pipe gives an error', async () => {
  const bench = createVictim();
  bench.remove(join(bench.root, 'src/b.ts'));
  pipe(bench, 'src/b.ts');
  expect(await outcomeOf(bench)).toMatchObject({
    is: 'tool_error',
    said: expect.stringContaining('a pipe, device or socket has replaced a file'),
  });
});

verifies(
  'security:repository-waits',
  'a socket in place of .gitignore is refused by its path',
  async () => {
    const bench = createVictim();
    const server = createServer().listen(join(bench.root, '.gitignore'));
    await once(server, 'listening');
    const { is, said } = await outcomeOf(bench);
    server.close();
    expect(is).toBe('validation');
    expect(said).toContain('instead of the file .gitignore');
  },
);
