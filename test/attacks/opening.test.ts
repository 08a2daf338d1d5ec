import { createHash } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { WorkspaceReader } from '#core/workspace.ts';
import { verifies } from '../verifies.ts';
import { oddPaths, outsidePaths } from './files/paths.ts';
import { SECRET, type Traps } from './files/prepare.ts';
import { startSwapping } from './files/swap.ts';
import {
  faultOf as settleFault,
  openTrappedWorkspace,
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

function faultOf(work: Promise<unknown>): Promise<CallError | undefined> {
  tries += 1;
  return settleFault(work);
}

verifies('files:open', 'no path opens anything outside the roots', async () => {
  const leaks: unknown[] = [];
  for (const [root, by] of [
    [traps.project, owner],
    [traps.shared, client],
  ] as const) {
    const outside = outsidePaths(root, traps).flatMap(({ path, missing }) => [path, missing]);
    // A binary file is opened as bytes, unlike as text.
    const odd = oddPaths(root).filter((path) => path !== 'binary.bin');
    for (const path of [...outside, ...odd]) {
      const fault = await faultOf(open([path], by));
      if (!fault || JSON.stringify(fault.toJSON()).includes(SECRET)) leaks.push(path);
    }
  }
  expect(leaks).toEqual([]);
});

verifies('files:open', 'files come with their bytes and digest, once each', async () => {
  const bytes = Buffer.from([0, 1, 2, 255]);
  const [binary, own, ...more] = await open(['binary.bin', 'own.txt', './own.txt']);
  expect(more).toEqual([]);
  expect(binary).toMatchObject({ name: 'binary.bin', path: join(traps.project, 'binary.bin') });
  expect(Buffer.from(binary?.bytes ?? []).equals(bytes)).toBe(true);
  expect(binary?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(own?.bytes.length).toBe(statSync(join(traps.project, 'own.txt')).size);
  writeFileSync(join(traps.project, 'empty'), '');
  expect((await open(['empty']))[0]?.bytes).toHaveLength(0);
  expect(await open([])).toEqual([]);
});

verifies('files:open', 'pipes, devices, folders and too many files are refused', async () => {
  for (const path of ['pipe', 'socket', 'to-zero', '/dev/zero', 'deep', '.', 'sparse.txt'])
    expect([path, await faultOf(open([path]))]).toEqual([path, expect.any(CallError)]);
  const many = Array.from({ length: 1_001 }, (_, n) => `own.txt/${n}`);
  expect(await faultOf(open(many))).toMatchObject({ class: 'too_large', field: 'files' });
  // All paths are checked before a file is opened.
  const files = trapped.workspace.open(['own.txt', 'none.txt'], 'files', owner);
  expect(await faultOf(files.next())).toMatchObject({ class: 'not_found' });
});

verifies('files:open', 'a link that is swapped in meanwhile is never followed', async () => {
  const folder = join(traps.project, 'open-race');
  mkdirSync(folder);
  mkdirSync(join(folder, 'inside'));
  writeFileSync(join(folder, 'file'), 'inside');
  writeFileSync(join(folder, 'inside', 'secret.txt'), 'inside');
  const swaps = [
    startSwapping(join(folder, 'file'), join(traps.outside, 'secret.txt')),
    startSwapping(join(folder, 'inside'), traps.outside),
  ];
  let opened = 0;
  const leaks: unknown[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of ['open-race/file', 'open-race/inside/secret.txt']) {
      const [file] = await open([path]).catch(() => []);
      tries += 1;
      if (file) opened += 1;
      if (file && Buffer.from(file.bytes).toString() !== 'inside') leaks.push(path);
    }
  }
  for (const swap of swaps) await swap.stop();
  expect(leaks).toEqual([]);
  console.log(`opened ${opened} of ${2 * ROUNDS} while links were swapped in`);
});

verifies(
  'files:workspaces',
  'the owner names files of runs, and nothing else of EXAI_HOME',
  async () => {
    const result = join(runs, 'one', 'result.txt');
    expect(Buffer.from((await open([result]))[0]?.bytes ?? []).toString()).toBe('result');
    const { texts } = await trapped.workspace.read([join(runs, 'one')], 'files', owner);
    expect(texts.map(({ text }) => text)).toContain('result');
    for (const path of [
      join(traps.state, '.env'),
      join(runs, '..', '.env'),
      join(runs, 'one', 'to-env'),
      join(runs, 'to-outside', 'secret.txt'),
      `${runs}-other`,
    ])
      expect([path, await faultOf(open([path]))]).toEqual([path, expect.any(CallError)]);
    expect(await faultOf(open([result], client))).toMatchObject({ class: 'permission' });
    // Not by the way, when a folder around it is read.
    const all = await trapped.workspace.read([traps.shared], 'files', owner);
    expect(JSON.stringify(all.texts)).not.toContain('result');
  },
);

test('all of them were tried', () => {
  console.log(`opening: ${tries} tries`);
  expect(tries).toBeGreaterThanOrEqual(1_000);
});
