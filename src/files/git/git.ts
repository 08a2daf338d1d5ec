import { realpath } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { programEnv } from '#programs/program-env.ts';
import { runProgram } from '#programs/run-program.ts';
import { isInside, type AllowedRoots } from '../allowed-roots.ts';

/** Environment variables for git. */
export type GitEnvironment = Readonly<Record<string, string | undefined>>;

export interface GitOutput {
  /** Null if it was killed. */
  readonly code: number | null;
  /** At most the requested number of bytes. */
  readonly stdout: Buffer;
  /** Total bytes of the output. */
  readonly bytes: number;
  /** `counted`: it ran to its end; `stopped`: it was killed because of too much output. */
  readonly rest: 'counted' | 'stopped';
  readonly stderr: string;
}

/** Git in one folder, for one call. */
export interface Git {
  run(args: readonly string[], how?: GitRunOptions): Promise<GitOutput>;
  /** The output of a command without the last line break; throws unless it succeeds. */
  text(args: readonly string[], how?: GitRunOptions): Promise<string>;
  /** The same git on a repository, in its work tree. */
  on(places: GitPlaces): Git;
  /** The same git in a folder, where it looks for a repository itself. */
  lookingIn(folder: string): Git;
}

interface GitRunOptions {
  readonly maxBytes?: number;
  readonly input?: string | Buffer;
}

export interface GitDeps {
  readonly clock: Clock;
  readonly environment: GitEnvironment;
}

const MAX_TEXT_BYTES = 1_000_000;
const MAX_SHOWN_CHARS = 200;
/**
 * Older versions cannot be kept from user settings and follow links instead of .gitattributes and
 * .gitignore.
 */
const OLDEST = [2, 32] as const;

/** Opens git without a repository. */
export async function openGit(
  cwd: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
  deps: GitDeps,
): Promise<Git> {
  const path = deps.environment['PATH'] ?? deps.environment['Path'] ?? '';
  const program = await findGit(path, allowed);
  const env = gitEnv(deps.environment, program, undefined);
  return gitIn(cwd, env, program, signal, deps);
}

function gitIn(
  cwd: string,
  env: Readonly<Record<string, string>>,
  program: GitProgram,
  signal: AbortSignalLike,
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
      if (output.code !== 0) throw gitFailure(args[0] ?? 'git', output);
      return output.stdout.toString('utf8').replace(/\r?\n$/, '');
    },
    on: (places) => {
      const own = gitEnv(deps.environment, program, places);
      return gitIn(places.workTree, own, program, signal, deps);
    },
    lookingIn: (folder) => {
      const { GIT_DIR: _, ...own } = env;
      return gitIn(folder, own, program, signal, deps);
    },
  };
}

/** Throws if git is too old to be isolated from settings. */
export async function checkVersion(git: Git): Promise<void> {
  const text = await git.text(['--version']);
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? [];
  const isOld =
    Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  if (!isOld) return;
  const message = `git is older than ${OLDEST.join('.')}: ${oneLine(text, MAX_SHOWN_CHARS)}.`;
  throw new CallError('not_configured', message, { fix: 'Install a newer git.' });
}

interface GitCommand {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly input?: string | Buffer;
  readonly maxBytes: number;
  readonly signal: AbortSignalLike;
  readonly clock: Clock;
}

const TIMEOUT_MS = 30_000;

/**
 * Runs git. It only reads, so it can be killed at any moment. Throws the signal's reason,
 * `timeout`, or `not_configured`.
 */
async function runGit({ maxBytes, ...command }: GitCommand): Promise<GitOutput> {
  const { code, stdout, stdoutBytes, stderr, stopped } = await runProgram({
    ...command,
    title: `git ${command.args[0] ?? ''}`,
    timeoutMs: TIMEOUT_MS,
    graceMs: 0,
    maxStdoutBytes: maxBytes,
  });
  return {
    code,
    stdout,
    bytes: stdoutBytes,
    rest: stopped ? 'stopped' : 'counted',
    stderr: stderr.toString('utf8'),
  };
}

/** The program, and the search path it runs with. */
interface GitProgram {
  readonly file: string;
  readonly path: string;
}

/** Finds git on PATH, never inside a folder that the caller may read: files there are never run. */
async function findGit(path: string, allowed: AllowedRoots): Promise<GitProgram> {
  const folders: string[] = [];
  for (const folder of searchFolders(path)) {
    if (!(await isWithin(folder, allowed))) folders.push(folder);
  }
  const file = await findProgram({ names: ['git'], folders });
  if (file !== undefined) return { file, path: folders.join(delimiter) };
  throw new CallError('not_configured', 'Changes are read by git, and there is no git on PATH.', {
    fix: 'Install git, and restart the daemon.',
  });
}

async function isWithin(folder: string, allowed: AllowedRoots): Promise<boolean> {
  // A missing folder has no programs.
  const real = await realpath(folder).catch(() => folder);
  return allowed.roots.some((root) => isInside(real, root) || isInside(folder, root));
}

/** Paths of the repository for git. */
interface GitPlaces {
  /** Our private folder instead of the repository's git directory. */
  readonly gitDir: string;
  readonly workTree: string;
  readonly objects: string;
}

/** Variables that locate the user's git settings. No GIT_ variable is passed on. */
const HANDED_ON = ['HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT', 'TEMP', 'TMP'];

/**
 * The environment of a git process. Without paths git sees no repository but the user's settings;
 * with paths it sees only what we wrote and no other settings.
 */
function gitEnv(
  surroundings: GitEnvironment,
  { path }: GitProgram,
  places: GitPlaces | undefined,
): Record<string, string> {
  const env = programEnv(surroundings, HANDED_ON, {
    PATH: path,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // Missing objects are not fetched, because git would run a configured program for it.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_DIR: places?.gitDir ?? '/dev/null',
  });
  if (places === undefined) return env;
  return {
    ...env,
    GIT_WORK_TREE: places.workTree,
    GIT_OBJECT_DIRECTORY: places.objects,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/**
 * Error patterns of git with our messages. Git's own messages may quote lines of any file, so they
 * are never repeated.
 */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /index file|bad signature 0x|bad index version|index uses .* extension|index entry|broken index|cache entr|invalid path/i,
    'the index of the repository is damaged',
  ],
  [
    /promis|unable to read|missing (?:blob|tree|object)|bad (?:object|tree)|could not (?:parse|read)|not a valid object|unable to (?:find|parse)|ambiguous argument 'HEAD'|bad revision 'HEAD'/i,
    'objects that the changes need are not in the repository (a partial clone has only some), or are damaged',
  ],
  [/corrupt|inflate|packfile|pack has|loose object/i, 'objects of the repository are damaged'],
  [
    /unsupported file type|cannot hash/i,
    'a pipe, device or socket has replaced a file that git tracks',
  ],
  [/permission denied|operation not permitted/i, 'the system does not let EX-AI read a file of it'],
  [/out of memory|malloc|mmap|too many open files/i, 'there is not enough memory for it'],
  [/beyond a symbolic link/i, 'a folder became a link meanwhile'],
];

export function gitFailure(gitCommand: string, { code, stderr }: GitOutput): CallError {
  const why = KNOWN.find(([pattern]) => pattern.test(stderr))?.[1];
  const end = code === null ? 'was killed' : `ended with ${code}`;
  const words = why === undefined ? '' : `: ${why}`;
  return new CallError('tool_error', `git ${gitCommand} ${end}${words}.`, {
    fixes: [commandFix('git fsck', 'see what is wrong in the repository')],
  });
}
