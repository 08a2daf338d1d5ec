import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import {
  isRunning,
  readPids,
  realClock,
  STUBBORN_FAMILY,
  tempFolder,
  until,
  untilGone,
  writeScript,
} from './processes.fixture.ts';
import { programEnv } from './program-env.ts';
import { runProgram, type RunOptions } from './run-program.ts';

/** Runs lines of shell as a program. */
function run(lines: readonly string[], more: Partial<RunOptions> = {}) {
  const folder = tempFolder();
  return runProgram({
    title: 'the script',
    file: writeScript(folder, 'script', ...lines),
    args: [],
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 60_000,
    maxStdoutBytes: 1_000,
    clock: realClock,
    ...more,
  });
}

test('output, input, arguments and exit code pass through', async () => {
  const lines = ['cat', 'printf "%s|" "$@"', 'echo oops >&2', 'exit 3'];
  const output = await run(lines, { input: 'typed ', args: ['a b', '$(id)', '', '; rm -rf /'] });
  expect({ ...output, stdout: String(output.stdout), stderr: String(output.stderr) }).toEqual({
    code: 3,
    signal: null,
    stdout: 'typed a b|$(id)||; rm -rf /|',
    stdoutBytes: 28,
    stderr: 'oops\n',
    truncated: false,
    stopped: false,
  });
});

test('a program sees the variables it is given and no others', async () => {
  const from = { HOME: '/home/ann', GLM_API_KEY: 'secret', EMPTY: '', LANG: undefined };
  const env = programEnv(from, ['HOME', 'EMPTY', 'LANG', '__proto__'], { PATH: '/usr/bin:/bin' });
  expect(env).toEqual({ HOME: '/home/ann', PATH: '/usr/bin:/bin' });
  const { stdout } = await run(['env'], { env });
  const names = String(stdout).match(/^\w+(?==)/gm) ?? [];
  expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).sort()).toEqual([
    'HOME',
    'PATH',
  ]);
});

test('output over the limit is counted and dropped', async () => {
  const output = await run(['head -c 50000 /dev/zero', 'head -c 9000 /dev/zero >&2']);
  expect(output).toMatchObject({ code: 0, stdoutBytes: 50_000, truncated: true, stopped: false });
  expect([output.stdout.length, output.stderr.length]).toEqual([1_000, 8_000]);
});

test.each(['yes', 'yes >&2'])('a program that floods its output (%s) is stopped', async (flood) => {
  const output = await run([flood], { maxOutputBytes: 1_000_000 });
  expect(output).toMatchObject({ truncated: true, stopped: true });
  expect(output.stdout.length + output.stderr.length).toBeLessThanOrEqual(9_000);
});

test('lines are reported as they arrive', async () => {
  const folder = tempFolder();
  const seen = join(folder, 'seen');
  const lines: string[] = [];
  // It continues only after its first line was received.
  const script = [`echo one`, `while ! [ -e '${seen}' ]; do sleep 0.01; done`, 'printf two'];
  await run(script, {
    onLine: ({ text }, from) => {
      lines.push(`${from}: ${text}`);
      if (text === 'one') writeScript(folder, 'seen');
    },
  });
  expect(lines).toEqual(['stdout: one', 'stdout: two']);
});

test('an error of the line handler stops the program and is the error of the run', async () => {
  const pidFile = join(tempFolder(), 'pids');
  const running = run(['echo $$ > "$PIDS"', 'echo one', 'exec sleep 600'], {
    env: { PATH: '/usr/bin:/bin', PIDS: pidFile },
    onLine() {
      throw new CallError('tool_error', 'Broken.');
    },
  });
  await expect(running).rejects.toMatchObject({ class: 'tool_error', message: 'Broken.' });
  await untilGone(await readPids(pidFile));
});

test('a process that left the group and holds the output open does not delay the result', async () => {
  const lines = ['setsid sleep 600 & echo $! > "$PIDS"', 'echo done', 'exit 0'];
  const pidFile = join(tempFolder(), 'pids');
  const env = { PATH: '/usr/bin:/bin', PIDS: pidFile };
  const running = run(lines, { env, graceMs: 100 });
  await readPids(pidFile);
  const output = await running;
  expect([output.code, String(output.stdout)]).toEqual([0, 'done\n']);
});

test('a program that never reads its input, or exits early, takes what it took', async () => {
  const input = Buffer.alloc(5_000_000, 'a');
  expect(await run(['exec <&-', 'exit 4'], { input })).toMatchObject({ code: 4 });
  expect(await run(['exit 5'], { input })).toMatchObject({ code: 5 });
});

test('a cancelled program is killed with all that it started, deaf to SIGTERM or not', async () => {
  const pidFile = join(tempFolder(), 'pids');
  const canceller = new AbortController();
  const running = run(STUBBORN_FAMILY, {
    env: { PATH: '/usr/bin:/bin', PIDS: pidFile },
    signal: canceller.signal,
    graceMs: 100,
  });
  const pids = await readPids(pidFile);
  expect(pids.filter(isRunning)).toHaveLength(3);
  const reason = new CallError('cancelled', 'Enough.');
  canceller.abort(reason);
  await expect(running).rejects.toBe(reason);
  await untilGone(pids);
});

test('a program may clean up between SIGTERM and SIGKILL', async () => {
  const folder = tempFolder();
  const [ready, cleaned] = [join(folder, 'ready'), join(folder, 'cleaned')];
  const canceller = new AbortController();
  const script = [`trap "touch '${cleaned}'; exit" TERM`, `touch '${ready}'`];
  const running = run([...script, 'while :; do sleep 0.01; done'], {
    signal: canceller.signal,
    graceMs: 60_000,
  });
  await until(() => existsSync(ready));
  canceller.abort(new CallError('cancelled', 'Enough.'));
  await expect(running).rejects.toMatchObject({ class: 'cancelled' });
  expect(existsSync(cleaned)).toBe(true);
});

test('a program that takes too long is ended with timeout', async () => {
  const time = createFakeClock();
  const folder = tempFolder();
  const ready = join(folder, 'ready');
  const running = run([`touch '${ready}'`, 'sleep 1000'], {
    clock: time,
    timeoutMs: 30_000,
    graceMs: 0,
  });
  const failure = running.catch((thrown: unknown) => thrown);
  await until(() => existsSync(ready));
  await time.untilWaiting();
  time.advance(30_000);
  expect(await failure).toMatchObject({
    class: 'timeout',
    message: 'the script took longer than 30 seconds.',
  });
});

test('what a program leaves behind in its group ends with it', async () => {
  const pidFile = join(tempFolder(), 'pids');
  const script = [`(trap '' TERM; sleep 1000; sleep 1000) &`, `echo "$!" > '${pidFile}'`, 'exit 0'];
  expect(await run(script, { graceMs: 50 })).toMatchObject({ code: 0 });
  await untilGone(await readPids(pidFile));
});

test('a call that is already cancelled starts nothing', async () => {
  const mark = join(tempFolder(), 'mark');
  const signal = AbortSignal.abort(new CallError('cancelled', 'Enough.'));
  await expect(run([`touch '${mark}'`], { signal })).rejects.toMatchObject({ class: 'cancelled' });
  await pause(0);
  expect(existsSync(mark)).toBe(false);
});

test.each([
  ['a missing program', '/nonexistent/program', 'not_configured'],
  ['a file that is not executable', '/etc/passwd', 'not_configured'],
])('%s is a typed error', async (_, file, errorClass) => {
  await expect(run([], { file })).rejects.toMatchObject({ class: errorClass });
});

test('a missing working directory is not taken for a missing program', async () => {
  const cwd = join(tempFolder(), 'gone');
  const failure = await run([], { cwd }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    class: 'not_found',
    message: `script cannot be started: the folder "${cwd}" is missing or cannot be entered.`,
  });
});

test.each([
  ['An argument of script', { args: ['a\0b'] }],
  ['The environment of script', { env: { A: 'a\0b' } }],
  ['The working directory of script', { cwd: '/a\0b' }],
  ['The path of the program', { file: '/a\0b' }],
])('%s with a NUL byte is named', async (what, options) => {
  await expect(run([], options)).rejects.toMatchObject({
    class: 'validation',
    message: `${what} contains a NUL byte.`,
  });
});

test.each([
  ['a NUL byte', 'a\0b', 'validation'],
  ['five megabytes', 'a'.repeat(5_000_000), 'too_large'],
])('an argument with %s is a typed error', async (_, argument, errorClass) => {
  await expect(run([], { args: [argument] })).rejects.toMatchObject({ class: errorClass });
});
