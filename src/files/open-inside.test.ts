import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AllowedRoots } from './allowed-roots.ts';
import { openInside } from './open-inside.ts';
import { readTextInRoots } from './read-text-in-roots.ts';
import { createWorkspaceBench } from './workspace.fixture.ts';
import { verifies } from '../../test/verifies.ts';

const { signal } = new AbortController();

function areaFor(root: string): AllowedRoots {
  return { named: [root], roots: [root], closed: [], exempt: [], drives: [] };
}

test('what stands where it was found is opened', async () => {
  const { root, write } = createWorkspaceBench();
  const file = write('project/src/a.ts', 'A');
  expect(await readTextInRoots(file, areaFor(root), 10, signal)).toEqual({
    is: 'text',
    text: 'A',
    bytes: 1,
  });
});

verifies(
  'files:roots',
  'a link put in place of the file after it was judged is not followed',
  async () => {
    const { root, write } = createWorkspaceBench();
    const secret = write('outside/secret.txt', 'S');
    const file = write('project/src/a.ts', 'A');
    rmSync(file);
    symlinkSync(secret, file);
    expect(await openInside(file, areaFor(root))).toEqual({ is: 'changed' });
  },
);

test('a link put in place of a folder on the way is noticed', async () => {
  const { root, base, write } = createWorkspaceBench();
  write('outside/a.ts', 'S');
  const file = write('project/src/a.ts', 'A');
  renameSync(join(root, 'src'), join(root, 'old'));
  symlinkSync(join(base, 'outside'), join(root, 'src'));
  expect(await openInside(file, areaFor(root))).toEqual({ is: 'changed' });
});

test('a pipe put in its place is not waited for', async () => {
  const { root, write } = createWorkspaceBench();
  const file = write('project/a.ts', 'A');
  rmSync(file);
  execFileSync('mkfifo', [file]);
  expect(await openInside(file, areaFor(root))).toEqual({ is: 'special' });
});

test('a file that went away is gone', async () => {
  const { root } = createWorkspaceBench();
  expect(await openInside(join(root, 'a.ts'), areaFor(root))).toEqual({ is: 'gone' });
});

test.each(['linux', 'darwin'] as const)(
  'however a link is swapped in and out meanwhile, nothing from outside is read (%s)',
  async (platform) => {
    const { root, base, write } = createWorkspaceBench();
    write('outside/a.ts', 'secret');
    write('project/src/a.ts', 'fine');
    const src = join(root, 'src');
    const away = join(root, 'away');
    const link = join(root, 'link');
    symlinkSync(join(base, 'outside'), link);
    const before = process.platform;
    Object.defineProperty(process, 'platform', { value: platform });
    const seen: string[] = [];
    const swapped: string[] = [];
    try {
      for (let round = 0; round < 200; round++) {
        let isOver = false;
        const reading = readTextInRoots(join(src, 'a.ts'), areaFor(root), 100, signal).then(
          (file) => {
            isOver = true;
            return file.is === 'text' ? file.text : file.is;
          },
        );
        // Every round swaps at another moment of the read.
        for (let turn = 0; !isOver; turn++) {
          if (turn % 7 === round % 7) {
            renameSync(src, away);
            renameSync(link, src);
            swapped.push(readFileSync(join(src, 'a.ts'), 'utf8'));
            await stat(base);
            renameSync(src, link);
            renameSync(away, src);
          }
          await stat(base);
        }
        seen.push(await reading);
      }
    } finally {
      Object.defineProperty(process, 'platform', { value: before });
    }
    expect(swapped).toContain('secret');
    expect(new Set(seen)).not.toContain('secret');
    expect(new Set(seen)).toContain('fine');
  },
);

test('a file at the limit is read, and one over it is not, whatever size it claims', async () => {
  const { root, write } = createWorkspaceBench();
  const file = write('project/a.txt', 'x'.repeat(10));
  expect(await readTextInRoots(file, areaFor(root), 9, signal)).toEqual({ is: 'too_large' });
  expect(await readTextInRoots(file, areaFor(root), 10, signal)).toMatchObject({ is: 'text' });
  const endless = `/proc/${process.pid}/limits`;
  if (!existsSync(endless)) return;
  expect(await readTextInRoots(endless, areaFor('/proc'), 10, signal)).toEqual({ is: 'too_large' });
  expect(await readTextInRoots(endless, areaFor('/proc'), 100_000, signal)).toMatchObject({
    is: 'text',
  });
});
