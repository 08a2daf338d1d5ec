import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import type { RepositoryChanges, ChangesOptions } from '#core/workspace.ts';
import { isInside, type AllowedRoots } from '../allowed-roots.ts';
import { findPath, outsideRootsError } from '../find-path.ts';
import { createSkippedFiles } from '../skipped-files.ts';
import { checkObjects, checkWorkTree } from './check-repository.ts';
import { checkTrust, findRepository, noWorkTree, type Repository } from './repository.ts';
import {
  checkName,
  createGitRefs,
  findBase,
  neededRefs,
  type GitHead,
  type GitRefs,
} from './refs.ts';
import { readDiff, unfilteredNotices, type Diff, type DiffOptions } from './diff.ts';
import { checkVersion, openGit, type Git, type GitDeps } from './git.ts';
import type { GitLimiter } from './git-limiter.ts';
import { partsOf, pathspecs } from './pathspecs.ts';
import { fillGitDir } from './private-git-dir.ts';
import { fileKind } from './read-git-file.ts';
import { damagedRepository, PATH_FIELD } from './repository-errors.ts';
import {
  readRepositorySettings,
  readUserSettings,
  type RepositorySettings,
} from './git-settings.ts';
import type { Scratch } from './scratch.ts';
import { readTracked } from './tracked.ts';
import { readUntracked } from './untracked.ts';

export interface ChangesDeps extends GitDeps {
  readonly scratch: Scratch;
  readonly limiter: GitLimiter;
}

const MAX_NAME_CHARS = 100;

/**
 * Reads the changes of a repository. Git never works on the repository itself, whose settings may
 * name programs to run, but on a private folder with copies of its state and settings that we
 * wrote.
 */
export async function readGitChanges(
  options: ChangesOptions,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
  deps: ChangesDeps,
): Promise<RepositoryChanges> {
  const place = await findPath(
    options.path ?? allowed.named[0] ?? allowed.roots[0],
    PATH_FIELD,
    allowed,
  );
  if (options.compareTo !== undefined) checkName(options.compareTo);
  return deps.scratch.within(async (folder) => {
    const git = await openGit(folder, allowed, signal, deps);
    const [user] = await Promise.all([
      readUserSettings(git, deps.environment['HOME'] ?? ''),
      checkVersion(git),
    ]);
    const repository = await findRepository(place, allowed);
    await checkTrust(repository, place, user, git);
    const settings = await readRepositorySettings(
      repository.gitDir,
      repository.commonDir,
      repository.allowed,
    );
    if (settings.isBare) throw noWorkTree(place);
    const top = await topOf(repository, settings);
    if (partsOf(top, allowed).length === 0)
      throw outsideRootsError(place.given, PATH_FIELD, allowed);
    if ((await fileKind(top)) !== 'folder') throw damagedRepository('config');

    return deps.limiter.run(top, signal, async () => {
      const objects = await checkObjects(repository, signal);
      const idChars = settings.objectFormat === 'sha1' ? 40 : 64;
      const refs = createGitRefs(repository, idChars);
      const head = await refs.head();
      const needed = await neededRefs(refs, head.ref, options.compareTo);
      await fillGitDir(folder, { repository, settings, userCore: user.core, head, refs: needed });
      const own = git.on({ gitDir: folder, workTree: top, objects });
      const tracked = await readTracked(own, top, signal);
      const tree = { top, parts: partsOf(top, allowed), repository, idChars };
      await checkWorkTree(own, tree, tracked, signal);
      return changesOf(options, own, { top, allowed, head, refs }, signal);
    });
  });
}

/**
 * The work tree. A missing one gives the same path, so that errors do not reveal whether it exists.
 */
async function topOf({ folder, gitDir }: Repository, { worktree }: RepositorySettings) {
  const path = worktree === undefined ? folder : resolve(gitDir, worktree);
  return realpath(path).catch(() => path);
}

interface Opened {
  readonly top: string;
  readonly allowed: AllowedRoots;
  readonly head: GitHead;
  readonly refs: GitRefs;
}

async function changesOf(
  options: ChangesOptions,
  git: Git,
  { top, allowed, head, refs }: Opened,
  signal: AbortSignalLike,
): Promise<RepositoryChanges> {
  const specs = pathspecs(top, allowed);
  const leftOut = createSkippedFiles();
  const { kinds, notices } = await kindsOf(options, git, refs);
  const diffs: Diff[] = [];
  for (const kind of kinds) diffs.push(await readDiff(git, kind, specs, leftOut));
  const last = kinds.find(({ where }) => where !== 'staged');
  const untracked =
    last && (await readUntracked(git, top, last.where, specs, allowed, leftOut, signal));
  const touched = diffs.flatMap(({ files }) => files).filter(({ where }) => where !== 'staged');
  return {
    root: top,
    branch: head.ref?.replace(/^refs\/(?:heads\/)?/, ''),
    files: [...diffs.flatMap(({ files }) => files), ...(untracked?.files ?? [])],
    diffs: [...diffs.flatMap(({ text }) => text ?? []), ...(untracked?.texts ?? [])],
    notices: [
      ...(isInRoots(top, allowed) ? [] : [notice('changes_outside_roots', {})]),
      ...notices,
      ...diffs.flatMap((diff) => diff.notices),
      ...(untracked?.notices ?? []),
      ...leftOut.notices(),
      ...(await unfilteredNotices(
        git,
        touched.map(({ path }) => path),
      )),
    ],
  };
}

function isInRoots(top: string, allowed: AllowedRoots): boolean {
  return allowed.roots.some((root) => isInside(top, root));
}

async function kindsOf(
  { compareTo, staged, unstaged }: ChangesOptions,
  git: Git,
  refs: GitRefs,
): Promise<{ kinds: readonly DiffOptions[]; notices: readonly Notice[] }> {
  if (compareTo !== undefined) {
    const { commit, notices } = await findBase(git, compareTo, refs);
    const name = `changes since ${oneLine(compareTo, MAX_NAME_CHARS).replaceAll(/[[\]]/g, '')}`;
    return { kinds: [{ where: 'compared', name, compared: [commit] }], notices };
  }
  const kinds: DiffOptions[] = [];
  if (staged) {
    kinds.push({ where: 'staged', name: 'staged changes', compared: ['--cached'] });
  }
  if (unstaged) {
    kinds.push({ where: 'unstaged', name: 'unstaged changes', compared: [] });
  }
  return { kinds, notices: [] };
}
