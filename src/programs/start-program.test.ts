import { expect, test } from 'vitest';
import { readProgramLines } from './program-lines.ts';
import { isRunning, realClock, tempFolder, untilGone, writeScript } from './processes.fixture.ts';
import { startProgram } from './start-program.ts';

function start(...lines: readonly string[]) {
  const folder = tempFolder();
  return startProgram({
    file: writeScript(folder, 'script', ...lines),
    args: [],
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    graceMs: 100,
    clock: realClock,
  });
}

test('a long-lived program answers line by line until it is stopped', async () => {
  const program = await start('while read -r line; do echo "got $line"; done');
  const lines = readProgramLines(program.stdout);
  for (const word of ['one', 'two', 'three']) {
    program.stdin.write(`${word}\n`);
    expect((await lines.next()).value).toEqual({ text: `got ${word}`, truncated: false });
  }
  expect(isRunning(program.pid)).toBe(true);
  expect(await program.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  expect(await lines.next()).toEqual({ done: true, value: undefined });
});

test('closing its input ends a program that reads to the end', async () => {
  const program = await start('cat > /dev/null', 'exit 7');
  program.stdin.end('all');
  expect(await program.exited).toEqual({ code: 7, signal: null });
  // It has ended: its process id may belong to another process.
  expect(await program.stop()).toEqual({ code: 7, signal: null });
});

test('writing to a program that has ended does nothing', async () => {
  const program = await start('exit 0');
  await program.exited;
  await new Promise<void>((resolve) => program.stdin.write('late\n', () => resolve()));
  expect(await program.stop()).toEqual({ code: 0, signal: null });
});

test('a program that ignores SIGTERM is killed after its grace', async () => {
  const program = await start(`trap '' TERM`, 'echo ready', 'while :; do sleep 1000; done');
  await readProgramLines(program.stdout).next();
  expect(await program.stop()).toEqual({ code: null, signal: 'SIGKILL' });
  await untilGone([program.pid]);
});

test('a program is the leader of its own group and session', async () => {
  const program = await start('ps -o pgid= -o sid= -p $$ || ps -o pgid= -o sess= -p $$');
  const { value } = await readProgramLines(program.stdout).next();
  expect(value?.text.trim().split(/\s+/)[0]).toBe(String(program.pid));
  await program.exited;
});
