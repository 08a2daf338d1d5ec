import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Cancel } from '#core/http.ts';
import { oneLine } from '#core/one-line.ts';
import type { Area } from '../area.ts';
import { findGit, type GitProgram } from './find-git.ts';
import { gitEnv, type Surroundings } from './git-env.ts';
import { runGit, type GitOutput } from './run-git.ts';

/** git in one folder, for one call. */
export interface Git {
  run(args: readonly string[], how?: GitHow): Promise<GitOutput>;
  /** What a command prints, without the last line end; throws unless it ended well. */
  text(args: readonly string[], how?: GitHow): Promise<string>;
  /** The same somewhere else. */
  at(cwd: string): Git;
  /** The same, with these filters put out of action. */
  without(filters: readonly string[]): Git;
}

export interface GitHow {
  readonly maxBytes?: number;
  readonly input?: string;
}

export interface GitDeps {
  readonly clock: Clock;
  readonly surroundings: Surroundings;
}

const MAX_TEXT_BYTES = 1_000_000;
const MAX_SHOWN_CHARS = 200;
/** Before it, settings by variables are not heard, and those of a repository would count. */
const OLDEST = [2, 31] as const;

export async function openGit(
  cwd: string,
  area: Area,
  signal: Cancel,
  deps: GitDeps,
): Promise<Git> {
  const path = deps.surroundings['PATH'] ?? deps.surroundings['Path'] ?? '';
  const program = await findGit(path, area);
  const git = gitIn(cwd, program, [], signal, deps);
  checkVersion(await git.text(['--version']));
  return git;
}

function gitIn(
  cwd: string,
  program: GitProgram,
  filters: readonly string[],
  signal: Cancel,
  deps: GitDeps,
): Git {
  const env = gitEnv(deps.surroundings, program, filters);
  const { clock } = deps;
  const run: Git['run'] = (args, { maxBytes = MAX_TEXT_BYTES, input } = {}) =>
    runGit({
      file: program.file,
      cwd,
      env,
      args,
      maxBytes,
      signal,
      clock,
      ...(input !== undefined && { input }),
    });
  return {
    run,
    async text(args, how) {
      const output = await run(args, how);
      if (output.code !== 0) throw failure(args[0] ?? 'git', output);
      return output.stdout.toString('utf8').replace(/\r?\n$/, '');
    },
    at: (other) => gitIn(other, program, filters, signal, deps),
    without: (others) => gitIn(cwd, program, others, signal, deps),
  };
}

/** What git says of settings may quote them, and so stays in the log. */
export function failure(command: string, { code, stderr }: GitOutput): CallError {
  const said = stderr.split('\n').find((line) => /^(?:fatal|error): /.test(line)) ?? '';
  const words = said === '' || /config/i.test(said) ? '' : `: ${oneLine(said, MAX_SHOWN_CHARS)}`;
  const end = code === null ? 'was killed' : `ended with ${code}`;
  return new CallError('tool_error', `git ${command} ${end}${words}`, {
    fix: `Run git ${command} in the repository to see what is wrong with it.`,
    cause: new Error(stderr),
  });
}

function checkVersion(text: string): void {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? [];
  const isOld =
    Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  if (!isOld) return;
  const message = `git is older than ${OLDEST.join('.')}: ${oneLine(text, MAX_SHOWN_CHARS)}.`;
  throw new CallError('not_configured', message, { fix: 'Install a newer git.' });
}
