/**
 * Ends the process groups of running programs when this process dies, by SIGKILL as well.
 *
 * One `/bin/sh` for the whole process, started with the first program, reads the numbers of the
 * groups from a pipe. Only this process holds the other end, so the pipe ends when the process
 * does, however it dies; the shell then sends SIGTERM to the groups that are left, and SIGKILL a
 * second later. Starting a program costs one short write to that pipe.
 *
 * Limits: a process that leaves its group (`setsid`) is not found. A program that is started in the
 * very moment in which this process is killed, before its number is written, is not found either;
 * it still loses its pipes. On Windows there is no watcher: the system ends the programs themselves
 * with this process (libuv puts them into a job object), but not what they have started.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

const SHELL = '/bin/sh';
/** Constant script: the pipe carries only `+` or `-` and numbers, written by this file. */
const SCRIPT = `# EX-AI: ends the programs of a process that died.
groups=
while read -r change group; do
  kept=
  for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
  groups=$kept
  [ "$change" = - ] || groups="$groups $group"
done
[ -n "$groups" ] || exit 0
for each in $groups; do kill -TERM "-$each"; done
sleep 1
for each in $groups; do kill -KILL "-$each"; done
`;
/** A killed watcher is replaced, at most this often. */
const MAX_STARTS = 20;

const groups = new Set<number>();
let watcher: ChildProcess | undefined;
let starts = 0;

/**
 * Makes sure that there is a watcher. Called before a program starts, so that the program is
 * watched as soon as it runs.
 */
export function prepareWatcher(): void {
  if (process.platform !== 'win32' && watcher === undefined) start();
}

/** Registers a group that must end with this process. */
export function watchGroup(group: number): void {
  groups.add(group);
  tell(`+ ${group}`);
}

/** Removes a group that has ended; its number may be reused. */
export function unwatchGroup(group: number): void {
  if (groups.delete(group)) tell(`- ${group}`);
}

function start(): void {
  if (starts === MAX_STARTS) return;
  starts++;
  // In its own session, so that signals of the terminal or to the group of this process do not end
  // it.
  const child = spawn(SHELL, ['-c', SCRIPT], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = () => {
    if (watcher !== child) return;
    watcher = undefined;
    if (groups.size > 0) prepareWatcher();
  };
  // Without a shell programs run unwatched.
  child.once('error', () => undefined);
  child.once('exit', ended);
  if (child.pid === undefined) return;
  child.stdin.on('error', () => undefined);
  watcher = child;
  child.unref();
  (child.stdin as Writable & { unref(): void }).unref();
  for (const group of groups) tell(`+ ${group}`);
}

function tell(line: string): void {
  watcher?.stdin?.write(`${line}\n`);
}
