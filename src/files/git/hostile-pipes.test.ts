import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createVictim, outcomeOf, pipe, type Hostile } from './hostile.fixture.ts';
import { commit } from './repository.fixture.ts';

/** A pipe that nobody writes to in place of a file: whoever opens it waits. The clock of these tests stands still, so nothing ends by time. */
const PIPES: readonly Hostile[] = [
  at('.git/HEAD', 'validation'),
  at('.git/config', 'validation'),
  at('.git/index', 'validation'),
  at('.git/commondir', 'validation'),
  at('.git/shallow', 'validation'),
  at('.git/packed-refs', 'validation', (desk) => desk.git(desk.root, 'pack-refs', '--all')),
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
  at('new/nested/.git/commondir', 'validation', (desk) => {
    desk.write('project/new/nested/.git/HEAD', 'ref: refs/heads/main\n');
  }),
  {
    name: 'a pipe as HEAD of the repository that a new file .git leads to',
    comesTo: 'validation',
    prepare(desk) {
      pipe(desk, '.git/elsewhere/HEAD');
      desk.write('project/new/.git', 'gitdir: ../.git/elsewhere\n');
    },
  },
  {
    name: 'a pipe as HEAD of a submodule',
    comesTo: 'validation',
    prepare(desk) {
      const inner = join(desk.root, 'inner');
      mkdirSync(inner);
      desk.git(inner, 'init', '--quiet');
      desk.write('project/inner/x.ts', 'x\n');
      commit(desk, inner);
      desk.git(desk.root, 'add', 'inner');
      desk.remove(join(inner, '.git/HEAD'));
      pipe(desk, 'inner/.git/HEAD');
    },
  },
  // What git does not open keeps nobody waiting.
  at('.gitmodules', 'shown'),
  at('.git/hooks/pre-commit', 'shown'),
  at('src/pipe', 'shown'),
  at('ignored/.gitignore', 'shown', (desk) => {
    desk.write('project/.git/info/exclude', 'ignored\n');
  }),
  at('.git/config.worktree', 'validation', (desk) => {
    desk.git(desk.root, 'config', 'extensions.worktreeConfig', 'true');
  }),
  { ...at('.git/logs/HEAD', 'validation'), wish: { compareTo: 'HEAD@{1}' } },
];

function at(path: string, comesTo: Hostile['comesTo'], before?: Hostile['prepare']): Hostile {
  return {
    name: `a pipe as ${path}`,
    comesTo,
    prepare(desk) {
      before?.(desk);
      desk.remove(join(desk.root, path));
      pipe(desk, path);
    },
  };
}

test.runIf(process.platform !== 'win32').each(PIPES)(
  '$name: $comesTo',
  async ({ prepare, wish, comesTo }) => {
    const desk = createVictim();
    prepare(desk);
    const { is, said } = await outcomeOf(desk, wish);
    const words = comesTo === 'validation' ? /has a pipe, device, socket or folder/ : /a\.ts/;
    expect([is, said]).toEqual([comesTo, expect.stringMatching(words)]);
    expect(desk.clock.waiting).toBe(0);
  },
);

test('a tracked file that became a pipe is told', async () => {
  const desk = createVictim();
  desk.remove(join(desk.root, 'src/b.ts'));
  pipe(desk, 'src/b.ts');
  expect(await outcomeOf(desk)).toMatchObject({
    is: 'tool_error',
    said: expect.stringContaining('a pipe, device or socket stands in place of a file'),
  });
});

verifies(
  'security:repository-waits',
  'a socket in place of .gitignore is refused by its path',
  async () => {
    const desk = createVictim();
    const server = createServer().listen(join(desk.root, '.gitignore'));
    await once(server, 'listening');
    const { is, said } = await outcomeOf(desk);
    server.close();
    expect(is).toBe('validation');
    expect(said).toContain('in place of the file .gitignore');
  },
);
