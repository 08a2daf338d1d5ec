import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Cancel } from '#core/http.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';
import type { Changes, ChangesWish } from '#core/workspace.ts';
import { isInside, type Area } from '../area.ts';
import { find, outside } from '../find.ts';
import { createLeftOut } from '../left-out.ts';
import { checkObjects } from './check-objects.ts';
import { checkTrust } from './check-trust.ts';
import { checkWorkTree } from './check-work-tree.ts';
import { checkName, findBase } from './compare-to.ts';
import { readDiff, type Diff, type DiffWish } from './diff.ts';
import { checkVersion, openGit, type Git, type GitDeps } from './git.ts';
import type { GitTurns } from './git-turns.ts';
import { neededRefs } from './needed-refs.ts';
import { partsOf, pathspecs } from './pathspecs.ts';
import { fillGitDir } from './private-git-dir.ts';
import { kindOf } from './read-git-file.ts';
import { createRefs, type Head, type Refs } from './refs.ts';
import { findRepository, noFiles, type Repository } from './repository.ts';
import { damaged, PATH_FIELD } from './repository-fault.ts';
import { readSettings, type RepositorySettings } from './repository-settings.ts';
import type { Scratch } from './scratch.ts';
import { readTracked } from './tracked.ts';
import { unfiltered } from './unfiltered.ts';
import { readUntracked } from './untracked.ts';
import { readUserSettings } from './user-settings.ts';

export interface ChangesDeps extends GitDeps {
  readonly scratch: Scratch;
  readonly turns: GitTurns;
}

const MAX_NAME_CHARS = 100;

/**
 * Git is never pointed at the repository itself, whose settings name programs to run: it works on a folder of ours that holds copies of
 * what describes the repository's state, and settings that we wrote.
 */
export async function readChanges(
  wish: ChangesWish,
  area: Area,
  signal: Cancel,
  deps: ChangesDeps,
): Promise<Changes> {
  const place = await find(wish.path ?? area.named[0] ?? area.roots[0], PATH_FIELD, area);
  if (wish.compareTo !== undefined) checkName(wish.compareTo);
  return deps.scratch.within(async (folder) => {
    const git = await openGit(folder, area, signal, deps);
    const [user] = await Promise.all([
      readUserSettings(git, deps.surroundings['HOME'] ?? ''),
      checkVersion(git),
    ]);
    const repository = await findRepository(place, area);
    await checkTrust(repository, place, user, git);
    const settings = await readSettings(repository.gitDir, repository.commonDir, repository.area);
    if (settings.isBare) throw noFiles(place);
    const top = await topOf(repository, settings);
    if (partsOf(top, area).length === 0) throw outside(place.given, PATH_FIELD, area);
    if ((await kindOf(top)) !== 'folder') throw damaged('config');

    return deps.turns.take(top, signal, async () => {
      const objects = await checkObjects(repository, signal);
      const idChars = settings.objectFormat === 'sha1' ? 40 : 64;
      const refs = createRefs(repository, idChars);
      const head = await refs.head();
      const needed = await neededRefs(refs, head.ref, wish.compareTo);
      await fillGitDir(folder, { repository, settings, userCore: user.core, head, refs: needed });
      const own = git.on({ gitDir: folder, workTree: top, objects });
      const tracked = await readTracked(own, top, signal);
      const tree = { top, parts: partsOf(top, area), repository, idChars };
      await checkWorkTree(own, tree, tracked, signal);
      return changesOf(wish, own, { top, area, head, refs }, signal);
    });
  });
}

/** One that is not there is told like one that is, where neither may be read. */
async function topOf({ folder, gitDir }: Repository, { worktree }: RepositorySettings) {
  const path = worktree === undefined ? folder : resolve(gitDir, worktree);
  return realpath(path).catch(() => path);
}

interface Opened {
  readonly top: string;
  readonly area: Area;
  readonly head: Head;
  readonly refs: Refs;
}

async function changesOf(
  wish: ChangesWish,
  git: Git,
  { top, area, head, refs }: Opened,
  signal: Cancel,
): Promise<Changes> {
  const specs = pathspecs(top, area);
  const leftOut = createLeftOut();
  const { kinds, notices } = await kindsOf(wish, git, refs);
  const diffs: Diff[] = [];
  for (const kind of kinds) diffs.push(await readDiff(git, kind, specs, leftOut));
  const last = kinds.find(({ where }) => where !== 'staged');
  const untracked =
    last && (await readUntracked(git, top, last.where, specs, area, leftOut, signal));
  const touched = diffs.flatMap(({ files }) => files).filter(({ where }) => where !== 'staged');
  return {
    root: top,
    branch: head.ref?.replace(/^refs\/(?:heads\/)?/, ''),
    files: [...diffs.flatMap(({ files }) => files), ...(untracked?.files ?? [])],
    diffs: [...diffs.flatMap(({ text }) => text ?? []), ...(untracked?.texts ?? [])],
    notices: [
      ...(isInRoots(top, area) ? [] : [notice('changes_outside_roots', {})]),
      ...notices,
      ...diffs.flatMap((diff) => diff.notices),
      ...(untracked?.notices ?? []),
      ...leftOut.notices(),
      ...(await unfiltered(
        git,
        touched.map(({ path }) => path),
      )),
    ],
  };
}

function isInRoots(top: string, area: Area): boolean {
  return area.roots.some((root) => isInside(top, root));
}

async function kindsOf(
  { compareTo, staged, unstaged }: ChangesWish,
  git: Git,
  refs: Refs,
): Promise<{ kinds: readonly DiffWish[]; notices: readonly Notice[] }> {
  if (compareTo !== undefined) {
    const { commit, notices } = await findBase(git, compareTo, refs);
    const name = `changes since ${oneLine(compareTo, MAX_NAME_CHARS).replaceAll(/[[\]]/g, '')}`;
    return { kinds: [{ where: 'compared', name, compared: [commit] }], notices };
  }
  const kinds: DiffWish[] = [];
  if (staged === 'yes') {
    kinds.push({ where: 'staged', name: 'staged changes', compared: ['--cached'] });
  }
  if (unstaged === 'yes') {
    kinds.push({ where: 'unstaged', name: 'unstaged changes', compared: [] });
  }
  return { kinds, notices: [] };
}
