import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Cancel } from '#core/http.ts';
import { oneLine } from '#core/one-line.ts';
import type { Area } from '../area.ts';
import { findGit, type GitProgram } from './find-git.ts';
import { gitEnv, type GitPlaces, type Surroundings } from './git-env.ts';
import { failure } from './git-failure.ts';
import { runGit, type GitOutput } from './run-git.ts';

/** git in one folder, for one call. */
export interface Git {
  run(args: readonly string[], how?: GitHow): Promise<GitOutput>;
  /** What a command prints, without the last line end; throws unless it ended well. */
  text(args: readonly string[], how?: GitHow): Promise<string>;
  /** The same on a repository, in its folder of files. */
  on(places: GitPlaces): Git;
  /** The same in a folder, where it looks for a repository by itself. */
  lookingIn(folder: string): Git;
}

export interface GitHow {
  readonly maxBytes?: number;
  readonly input?: string | Buffer;
}

export interface GitDeps {
  readonly clock: Clock;
  readonly surroundings: Surroundings;
}

const MAX_TEXT_BYTES = 1_000_000;
const MAX_SHOWN_CHARS = 200;
/** Before it, the user's settings cannot be kept from it, and links in place of .gitattributes and .gitignore are followed. */
const OLDEST = [2, 32] as const;

/** One that sees no repository. */
export async function openGit(
  cwd: string,
  area: Area,
  signal: Cancel,
  deps: GitDeps,
): Promise<Git> {
  const path = deps.surroundings['PATH'] ?? deps.surroundings['Path'] ?? '';
  const program = await findGit(path, area);
  const env = gitEnv(deps.surroundings, program, undefined);
  return gitIn(cwd, env, program, signal, deps);
}

function gitIn(
  cwd: string,
  env: Readonly<Record<string, string>>,
  program: GitProgram,
  signal: Cancel,
  deps: GitDeps,
): Git {
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
    on: (places) => {
      const own = gitEnv(deps.surroundings, program, places);
      return gitIn(places.workTree, own, program, signal, deps);
    },
    lookingIn: (folder) => {
      const { GIT_DIR: _, ...own } = env;
      return gitIn(folder, own, program, signal, deps);
    },
  };
}

/** Throws where it is too old to be kept from settings. */
export async function checkVersion(git: Git): Promise<void> {
  const text = await git.text(['--version']);
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? [];
  const isOld =
    Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  if (!isOld) return;
  const message = `git is older than ${OLDEST.join('.')}: ${oneLine(text, MAX_SHOWN_CHARS)}.`;
  throw new CallError('not_configured', message, { fix: 'Install a newer git.' });
}
