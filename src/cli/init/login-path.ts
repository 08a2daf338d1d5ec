import type { Clock } from '#core/time/clock.ts';
import { variable } from '#config/environment.ts';
import { programEnv } from '#programs/program-env.ts';
import { runProgram } from '#programs/run-program.ts';
import { platformPath, type PathContext } from './paths.ts';
import { isExecutable } from './user-path.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/** Marks the value, because a profile may print something before it. */
const MARK = 'exai-path:';
const PASSED_ON = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TMPDIR'];

/**
 * The absolute folders of PATH in a new login shell of the user. The current shell may have more,
 * which clients started elsewhere do not have. Empty where the shell cannot be asked.
 */
export async function loginPathFolders(
  machine: PathContext,
  clock: Clock,
): Promise<readonly string[]> {
  if (machine.platform === 'win32') return [];
  const shell = variable(machine.env, 'SHELL') ?? '/bin/sh';
  const file = isExecutable(shell) ? shell : '/bin/sh';
  try {
    const { stdout } = await runProgram({
      title: 'the login shell',
      file,
      args: ['-l', '-c', `printf '\\n${MARK}%s\\n' "$PATH"`],
      cwd: '/',
      env: programEnv(machine.env, PASSED_ON, { HOME: machine.home, TERM: 'dumb' }),
      timeoutMs: TIMEOUT_MS,
      maxStdoutBytes: MAX_BYTES,
      clock,
    });
    return readFolders(stdout.toString('utf8'), machine);
  } catch {
    // A shell that fails or does not end: absolute paths work without it.
    return [];
  }
}

function readFolders(output: string, machine: PathContext): readonly string[] {
  const path = platformPath(machine);
  const line = output.split('\n').findLast((each) => each.startsWith(MARK)) ?? MARK;
  return line
    .slice(MARK.length)
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
}
