import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Changes, type ChangesWish } from '#core/workspace.ts';
import { CallError } from '#core/call-error.ts';
import { ALL, type Desk } from '../workspace.fixture.ts';
import { commit, createRepository } from './repository.fixture.ts';

/** A repository that somebody prepared, and what reading its changes comes to. */
export interface Hostile {
  readonly name: string;
  readonly prepare: (desk: Desk) => void;
  readonly wish?: Partial<ChangesWish>;
  /** `shown`: the one change that it has is shown all the same. */
  readonly comesTo: 'shown' | 'permission' | 'validation' | 'tool_error';
}

/** The first line of a file that nobody in the roots may read. */
export const PRIVATE_LINE = 'first-line-of-a-private-file';

/** A repository of two commits with one changed file, and a private file beside it. */
export function createVictim(): Desk {
  const desk = createRepository();
  desk.write('private/secret.txt', `${PRIVATE_LINE}\n`);
  desk.write('project/a.ts', 'one\nsecond\nthree\n');
  commit(desk, desk.root);
  desk.write('project/a.ts', 'one\nchanged\nthree\n');
  return desk;
}

/** A program that leaves a mark when it is run. */
export function trap(desk: Desk, name: string): string {
  const mark = join(desk.base, `sprung-${name}`);
  const path = desk.write(`traps/${name}`, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  chmodSync(path, 0o755);
  return path;
}

export function isSprung(desk: Desk, name: string): boolean {
  return desk.has(`sprung-${name}`);
}

/** Moves a file of the project out of it and leaves a link. */
export function moveOut(desk: Desk, path: string): void {
  const inside = join(desk.root, path);
  const outside = join(desk.base, 'private', 'moved');
  if (desk.has(`project/${path}`)) renameSync(inside, outside);
  symlinkSync(outside, inside);
}

/** Puts a link to the private file in place of a file of the project. */
export function linkOut(desk: Desk, path: string): void {
  desk.remove(join(desk.root, path));
  desk.link(`project/${path}`, join(desk.base, 'private/secret.txt'));
}

export function pipe(desk: Desk, path: string): void {
  const whole = desk.write(`project/${path}`, '');
  rmSync(whole);
  execFileSync('mkfifo', [whole]);
}

/** What it comes to; whatever was said is told along, to be searched. */
export async function outcomeOf(
  desk: Desk,
  wish: Partial<ChangesWish> = {},
): Promise<{ is: string; said: string; changes: Changes | undefined }> {
  try {
    const changes = await desk.workspace.changes({ ...ALL, ...wish }, desk.reader);
    const isShown = changes.diffs.some(({ text }) => text.includes('\n-second\n+changed\n'));
    return { is: isShown ? 'shown' : 'other', said: JSON.stringify(changes), changes };
  } catch (thrown) {
    const fault = CallError.from(thrown);
    const said = `${fault.message} ${fault.fix} ${String(fault.cause)}`;
    return { is: fault.class, said, changes: undefined };
  }
}
