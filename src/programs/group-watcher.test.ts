import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import {
  isRunning,
  readPids,
  STUBBORN_FAMILY,
  tempFolder,
  until,
  untilGone,
  writeScript,
} from './processes.fixture.ts';

const HOLDER = fileURLToPath(new URL('hold-program.fixture.ts', import.meta.url));

/** A separate process that runs a program which ignores SIGTERM and has started others. */
async function holdStubbornFamily() {
  const folder = tempFolder();
  const file = writeScript(folder, 'family', ...STUBBORN_FAMILY);
  const pidFile = join(folder, 'pids');
  const holder = spawn(process.execPath, ['--import', 'tsx', HOLDER, file, pidFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const pids = await readPids(pidFile);
  expect(pids.filter(isRunning)).toHaveLength(3);
  return { holder, pids };
}

/** The watcher of a process: its child that is a shell with our script. */
function watcherOf(pid: number): number | undefined {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const lines = listed.split('\n').map((line) => /^ *(\d+) +(\d+) +(.*)$/.exec(line));
  const line = lines.find(
    (found) => found?.[2] === String(pid) && found[3]?.startsWith('/bin/sh -c'),
  );
  return line?.[1] === undefined ? undefined : Number(line[1]);
}

test('programs and what they started are gone after their holder was killed', async () => {
  const { holder, pids } = await holdStubbornFamily();
  const watcher = watcherOf(holder.pid ?? 0) ?? 0;
  expect(isRunning(watcher)).toBe(true);
  const ended = once(holder, 'exit');
  holder.kill('SIGKILL');
  await ended;
  await untilGone([...pids, watcher]);
});

test('a watcher that was killed is replaced', async () => {
  const { holder, pids } = await holdStubbornFamily();
  const holderPid = holder.pid ?? 0;
  const first = watcherOf(holderPid);
  expect(first).toBeDefined();
  process.kill(first ?? 0, 'SIGKILL');
  const next = () => watcherOf(holderPid);
  await until(() => ![undefined, first].includes(next()));
  holder.stdin.write('done?');
  await once(holder.stdout, 'data');
  expect(pids.filter(isRunning)).toHaveLength(3);
  holder.kill('SIGKILL');
  await untilGone(pids);
});
