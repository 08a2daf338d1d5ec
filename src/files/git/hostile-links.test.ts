import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  createVictim,
  linkOut,
  moveOut,
  outcomeOf,
  PRIVATE_LINE,
  type Hostile,
} from './hostile.fixture.ts';

/** For every file that git reads in a repository: a link out of the roots in its place. */
const LINKS: readonly Hostile[] = [
  link('.git', 'permission'),
  link('.git/HEAD', 'permission'),
  link('.git/config', 'permission'),
  link('.git/index', 'permission'),
  link('.git/packed-refs', 'permission', (bench) => {
    bench.git(bench.root, 'pack-refs', '--all');
  }),
  link('.git/shallow', 'permission'),
  link('.git/commondir', 'permission'),
  link('.git/refs/heads/main', 'permission'),
  link('.git/info/exclude', 'permission'),
  link('.git/info/attributes', 'permission'),
  link('.git/objects/info/alternates', 'permission'),
  link('.git/objects/info/commit-graph', 'permission'),
  link('.git/config.worktree', 'permission', (bench) => {
    bench.git(bench.root, 'config', 'extensions.worktreeConfig', 'true');
  }),
  { ...link('.git/logs/HEAD', 'permission'), wish: { compareTo: 'HEAD@{1}' } },
  { ...link('.git/ORIG_HEAD', 'permission'), wish: { compareTo: 'ORIG_HEAD' } },
  { ...link('.git/refs/tags/v1', 'permission'), wish: { compareTo: 'v1' } },
  // Git does not read links in their place at all.
  link('.gitattributes', 'shown'),
  link('.gitignore', 'shown'),
  link('src/.gitattributes', 'shown'),
  link('.gitmodules', 'shown'),
  moved('.git', 'permission'),
  moved('.git/HEAD', 'permission'),
  moved('.git/index', 'permission'),
  moved('.git/refs', 'permission'),
  moved('.git/refs/heads', 'permission'),
  moved('.git/objects', 'permission'),
  moved('.git/objects/pack', 'permission'),
  moved('.git/objects/info', 'permission'),
  {
    name: 'a loose object elsewhere',
    comesTo: 'permission',
    prepare(bench) {
      const id = bench.git(bench.root, 'rev-parse', 'HEAD:a.ts').trim();
      moveOut(bench, `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`);
    },
  },
  {
    name: 'a pack elsewhere',
    comesTo: 'permission',
    prepare(bench) {
      bench.git(bench.root, 'repack', '-adq');
      const packs = readdirSync(join(bench.root, '.git/objects/pack'));
      moveOut(bench, `.git/objects/pack/${packs.find((name) => name.endsWith('.pack'))}`);
    },
  },
  {
    name: 'a file .git that leads nowhere',
    comesTo: 'tool_error',
    prepare(bench) {
      bench.remove(join(bench.root, '.git'));
      writeFileSync(join(bench.root, '.git'), 'no gitdir\n');
    },
  },
];

function link(path: string, comesTo: Hostile['comesTo'], before?: Hostile['prepare']): Hostile {
  return {
    name: `${path} is a link to a private file`,
    comesTo,
    prepare(bench) {
      before?.(bench);
      linkOut(bench, path);
    },
  };
}

function moved(path: string, comesTo: Hostile['comesTo']): Hostile {
  return { name: `${path} is elsewhere`, comesTo, prepare: (bench) => moveOut(bench, path) };
}

test.each(LINKS)('$name: $comesTo', async ({ prepare, wish, comesTo }) => {
  const bench = createVictim();
  prepare(bench);
  const { is, said } = await outcomeOf(bench, wish);
  expect([is, said]).toEqual([comesTo, expect.any(String)]);
  expect(said).not.toContain(PRIVATE_LINE);
  expect(said).not.toContain('private/');
});

/** Some tools create links inside a repository; those that stay in the roots are fine. */
test.each(['HEAD', 'config', 'index', 'refs', 'objects', 'objects/pack', 'packed-refs'])(
  '.git/%s may be a link within the roots',
  async (name) => {
    const bench = createVictim();
    bench.git(bench.root, 'pack-refs', '--all');
    bench.git(bench.root, 'repack', '-adq');
    moveOut(bench, `.git/${name}`);
    const workspace = bench.with({ allowedDirs: [join(bench.base, 'private')] });
    const { is, said } = await outcomeOf({ ...bench, workspace });
    expect([is, said]).toEqual(['shown', expect.any(String)]);
  },
);

verifies(
  'security:repository-words',
  'garbage in place of what git reads is not quoted',
  async () => {
    for (const path of ['packed-refs', 'shallow', 'HEAD', 'refs/heads/main', 'config', 'index']) {
      const bench = createVictim();
      bench.write(`project/.git/${path}`, `${PRIVATE_LINE}\n`);
      const { said } = await outcomeOf(bench);
      expect(`${path}: ${said}`).not.toContain(PRIVATE_LINE);
    }
  },
);
