import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type RepositoryChanges, type ChangesOptions } from '#core/workspace.ts';
import { CallError } from '#core/errors/call-error.ts';
import { ALL, type WorkspaceBench } from '../workspace.fixture.ts';
import { commit, createRepository } from './repository.fixture.ts';

/** A prepared repository, and the expected result of reading its changes. */
export interface Hostile {
  readonly name: string;
  readonly prepare: (bench: WorkspaceBench) => void;
  readonly wish?: Partial<ChangesOptions>;
  /** `shown`: its only change is still shown. */
  readonly comesTo: 'shown' | 'permission' | 'validation' | 'tool_error';
}

/** The first line of a file outside the roots. */
export const PRIVATE_LINE = 'first-line-of-a-private-file';

/** A repository of two commits with one changed file, and a private file beside it. */
export function createVictim(): WorkspaceBench {
  const bench = createRepository();
  bench.write('private/secret.txt', `${PRIVATE_LINE}\n`);
  bench.write('project/a.ts', 'one\nsecond\nthree\n');
  commit(bench, bench.root);
  bench.write('project/a.ts', 'one\nchanged\nthree\n');
  return bench;
}

/** A program that leaves a mark when run. */
export function trap(bench: WorkspaceBench, name: string): string {
  const mark = join(bench.base, `sprung-${name}`);
  const path = bench.write(`traps/${name}`, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(path, 0o755);
  return path;
}

export function isSprung(bench: WorkspaceBench, name: string): boolean {
  return bench.has(`sprung-${name}`);
}

/** Moves a file of the project out of it and leaves a link. */
export function moveOut(bench: WorkspaceBench, path: string): void {
  const inside = join(bench.root, path);
  const outside = join(bench.base, 'private', 'moved');
  if (bench.has(`project/${path}`)) renameSync(inside, outside);
  symlinkSync(outside, inside);
}

/** Replaces a file of the project by a link to the private file. */
export function linkOut(bench: WorkspaceBench, path: string): void {
  bench.remove(join(bench.root, path));
  bench.link(`project/${path}`, join(bench.base, 'private/secret.txt'));
}

export function pipe(bench: WorkspaceBench, path: string): void {
  const whole = bench.write(`project/${path}`, '');
  rmSync(whole);
  execFileSync('mkfifo', [whole]);
}

/** The result, with all messages for searching. */
export async function outcomeOf(
  bench: WorkspaceBench,
  wish: Partial<ChangesOptions> = {},
): Promise<{ is: string; said: string; changes: RepositoryChanges | undefined }> {
  try {
    const changes = await bench.workspace.changes({ ...ALL, ...wish }, bench.reader);
    const isShown = changes.diffs.some(({ text }) => text.includes('\n-second\n+changed\n'));
    return { is: isShown ? 'shown' : 'other', said: JSON.stringify(changes), changes };
  } catch (thrown) {
    const fault = CallError.from(thrown);
    const said = `${fault.message} ${fault.fix} ${String(fault.cause)}`;
    return { is: fault.class, said, changes: undefined };
  }
}
