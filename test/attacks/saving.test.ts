import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { WorkspaceReader } from '#core/workspace.ts';
import { verifies } from '../verifies.ts';
import { outsidePaths } from './files/paths.ts';
import { SECRET, type Traps } from './files/prepare.ts';
import { startSwapping } from './files/swap.ts';
import {
  faultOf as settleFault,
  NEW,
  openTrappedWorkspace,
  snapshot,
  type TrappedWorkspace,
} from './files/trapped-workspace.ts';

const ROUNDS = 400;

let trapped: TrappedWorkspace;
let traps: Traps;
let runs: string;
let owner: WorkspaceReader;
let client: WorkspaceReader;
let tries = 0;

beforeAll(async () => {
  trapped = await openTrappedWorkspace();
  ({ traps, runs, owner, client } = trapped);
});
afterAll(() => trapped?.close());

const open: TrappedWorkspace['open'] = (paths, by) => trapped.open(paths, by);
const save: TrappedWorkspace['save'] = (path, by) => trapped.save(path, by);

function faultOf(work: Promise<unknown>): Promise<CallError | undefined> {
  tries += 1;
  return settleFault(work);
}

verifies('files:save', 'no path saves anything outside the allowed folders', async () => {
  const before = snapshot(traps.top);
  const saved: unknown[] = [];
  for (const [root, by] of [
    [traps.project, owner],
    [traps.shared, client],
  ] as const) {
    const outside = outsidePaths(root, traps).flatMap(({ path, missing }) => [path, missing]);
    // A failing test must not harm the machine.
    const harmless = outside.filter((path) => path.includes(traps.top) || !path.startsWith('/'));
    for (const path of harmless) {
      const fault = await faultOf(save(path, by));
      if (!fault || JSON.stringify(fault.toJSON()).includes(SECRET)) saved.push(path);
    }
  }
  const refused = [
    '',
    ' ',
    '.',
    '..',
    '/',
    '\0',
    'a\0.txt',
    'new/',
    'deep/',
    'deep',
    'none/new.txt',
    'own.txt/new.txt',
    'pipe',
    'socket',
    'to-zero',
    'to-missing',
    'to-file',
    'loop-1',
    'chain-1',
    'to-folder/new.txt',
    'to-root/tmp/new.txt',
    'to-state/workspaces/new.txt',
    'file:///etc/new.txt',
    'http://127.0.0.1/new.txt',
    '~/new.txt',
    'C:\\new.txt',
    '\\\\server\\share\\new.txt',
    'x'.repeat(300),
    'x'.repeat(5_000),
  ];
  for (const path of refused) if (!(await faultOf(save(path)))) saved.push(path);
  expect(saved).toEqual([]);
  expect(snapshot(traps.top)).toEqual(before);
});

verifies('files:save', 'git runs no program that a saved file names', async () => {
  mkdirSync(join(traps.project, '.git', 'hooks'), { recursive: true });
  for (const path of ['.git/config', '.git/hooks/pre-commit', '.git', '.GIT', 'deep/.git', '.git.'])
    expect([path, await faultOf(save(path))]).toEqual([path, expect.any(CallError)]);
  expect(readdirSync(join(traps.project, '.git', 'hooks'))).toEqual([]);
});

verifies('files:save', 'a file is created, or replaced with its permissions', async () => {
  const path = join(traps.project, 'saved.txt');
  expect(await save('saved.txt')).toEqual({
    path,
    bytes: NEW.length,
    sha256: createHash('sha256').update(NEW).digest('hex'),
    change: 'created',
  });
  chmodSync(path, 0o640);
  writeFileSync(path, 'old');
  linkSync(path, join(traps.outside, 'hard-link'));
  expect(await save(path)).toMatchObject({ change: 'replaced' });
  expect(readFileSync(path)).toEqual(NEW);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  // The other name of the old file keeps the old content.
  expect(readFileSync(join(traps.outside, 'hard-link'), 'utf8')).toBe('old');
  chmodSync(path, 0o440);
  expect(await faultOf(save(path))).toMatchObject({ class: 'permission', field: 'path' });
});

verifies('files:save', 'a source that fails or is cancelled leaves the old file', async () => {
  const path = join(traps.project, 'kept.txt');
  writeFileSync(path, 'old');
  const before = readdirSync(traps.project);
  const aborting = new AbortController();
  async function* cancelled() {
    yield NEW;
    aborting.abort(new CallError('cancelled', 'The caller is gone.'));
    yield NEW;
  }
  const by = { ...owner, signal: aborting.signal };
  expect(await faultOf(trapped.workspace.save('kept.txt', 'path', cancelled(), by))).toBeDefined();
  const leaving = new AbortController();
  async function* silent() {
    yield NEW;
    leaving.abort(new CallError('cancelled', 'The caller is gone.'));
    await new Promise(() => {});
  }
  const left = { ...owner, signal: leaving.signal };
  const waiting = trapped.workspace.save('kept.txt', 'path', silent(), left);
  expect(await faultOf(waiting)).toMatchObject({ class: 'cancelled' });
  function* failing() {
    yield NEW;
    throw new CallError('network', 'The source is gone.');
  }
  const failed = await faultOf(trapped.workspace.save('kept.txt', 'path', failing(), owner));
  expect(failed).toMatchObject({ class: 'network' });
  expect(readFileSync(path, 'utf8')).toBe('old');
  await expect.poll(() => readdirSync(traps.project)).toEqual(before);
});

verifies('files:save', 'folders that are swapped for links meanwhile lead nowhere', async () => {
  const folder = join(traps.project, 'save-race');
  mkdirSync(join(folder, 'inside'), { recursive: true });
  const before = snapshot(traps.outside);
  const swap = startSwapping(join(folder, 'inside'), traps.outside);
  let saved = 0;
  async function* slowly() {
    yield NEW;
    // The disk works meanwhile, and the swapping goes on.
    for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve));
    yield NEW;
  }
  for (let round = 0; round < ROUNDS; round++) {
    tries += 1;
    const work = trapped.workspace.save(
      `save-race/inside/${round % 7}.txt`,
      'path',
      slowly(),
      owner,
    );
    if (await work.catch(() => undefined)) saved += 1;
  }
  await swap.stop();
  expect(snapshot(traps.outside)).toEqual(before);
  expect(JSON.stringify(snapshot(folder))).not.toContain('.part');
  console.log(`saved ${saved} of ${ROUNDS} while links were swapped in`);
});

verifies('files:save', 'a link that is swapped in for the file is not followed', async () => {
  const folder = join(traps.project, 'target-race');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'old');
  const swap = startSwapping(join(folder, 'file'), join(traps.outside, 'secret.txt'));
  for (let round = 0; round < ROUNDS; round++) {
    tries += 1;
    await save('target-race/file').catch(() => undefined);
  }
  await swap.stop();
  expect(readFileSync(join(traps.outside, 'secret.txt'), 'utf8')).toContain(SECRET);
});

verifies('files:save', 'only a client of the owner saves in its roots', async () => {
  const claims = { ...client, roots: [traps.project, '/'] };
  const path = join(traps.project, 'claimed.txt');
  expect(await faultOf(save(path, claims))).toMatchObject({ class: 'permission' });
  expect(existsSync(path)).toBe(false);
  expect(await save(join(traps.shared, 'new.txt'), claims)).toMatchObject({ change: 'created' });
});

verifies('files:save', 'a run saves in its own folder, and in no other', async () => {
  const run = { ...client, runFolder: join(runs, 'one') };
  expect(await save('new.txt', run)).toMatchObject({ path: join(runs, 'one', 'new.txt') });
  expect((await open(['new.txt'], run))[0]?.bytes).toHaveLength(NEW.length);
  for (const path of [
    '../two/new.txt',
    '../new.txt',
    '../../.env',
    '../../config.json',
    'to-env',
    join(runs, 'two', 'new.txt'),
    join(traps.state, 'data', 'exai.db'),
  ])
    expect([path, await faultOf(save(path, run))]).toEqual([path, expect.any(CallError)]);
  for (const runFolder of [runs, traps.state, traps.outside, join(runs, 'to-outside'), '/', 'one'])
    expect(await faultOf(save('new.txt', { ...client, runFolder }))).toMatchObject({
      class: 'permission',
    });
  // The owner's clients read the folders of runs, and do not save there.
  expect(await faultOf(save(join(runs, 'two', 'new.txt')))).toMatchObject({ class: 'permission' });
});

verifies(
  'files:save',
  'a read-only folder or a full disk is told, and nothing is left',
  async () => {
    const full = fullDisk();
    if (full === undefined) return;
    const allowed = trapped.withAllowedDirs([full.folder]);
    try {
      const large = Array.from({ length: 64 }, () => Buffer.alloc(65_536, 1));
      const path = join(full.folder, 'large.bin');
      expect(await faultOf(allowed.save(path, 'path', large, client))).toMatchObject({
        class: 'over_capacity',
      });
      expect(readdirSync(full.folder)).toEqual([]);
      full.makeReadOnly();
      expect(await faultOf(allowed.save(path, 'path', [NEW], client))).toMatchObject({
        class: 'permission',
      });
    } finally {
      full.remove();
    }
  },
);

/** A disk of 1 MiB, where this user may mount one. */
function fullDisk() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exai-full-')));
  const run = (...args: readonly string[]) => execFileSync('mount', args, { stdio: 'ignore' });
  try {
    run('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder);
  } catch {
    // Only the superuser mounts.
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    makeReadOnly: () => run('-o', 'remount,ro', folder),
    remove() {
      execFileSync('umount', [folder], { stdio: 'ignore' });
      rmSync(folder, { recursive: true });
    },
  };
}

test('all of them were tried', () => {
  console.log(`saving: ${tries} tries`);
  expect(tries).toBeGreaterThanOrEqual(900);
});
