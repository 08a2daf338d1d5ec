import type { Cancel } from '#core/http.ts';
import { oneLine } from '#core/one-line.ts';
import type { Changes, ChangesWish } from '#core/workspace.ts';
import { isInside, type Area } from '../area.ts';
import { find, outside } from '../find.ts';
import { createLeftOut } from '../left-out.ts';
import { checkRepository } from './check-repository.ts';
import { findBase } from './compare-to.ts';
import { readDiff, type Diff, type DiffWish } from './diff.ts';
import { filteredFiles, filtersOf } from './filters.ts';
import { openGit, type Git, type GitDeps } from './git.ts';
import { pathspecs } from './pathspecs.ts';
import { findRepository, folderOf } from './repository.ts';
import { readUntracked } from './untracked.ts';

const FIELD = 'path';
const MAX_NAME_CHARS = 100;
const PART =
  'The repository reaches beyond the folders that may be read: only changes within them are shown.';

export async function readChanges(
  wish: ChangesWish,
  area: Area,
  signal: Cancel,
  deps: GitDeps,
): Promise<Changes> {
  const place = await find(wish.path ?? area.named[0] ?? area.roots[0], FIELD, area);
  const first = await openGit(folderOf(place), area, signal, deps);
  const repository = await findRepository(first, place, FIELD);
  const { top } = repository;
  const specs = pathspecs(top, area);
  if (specs.length === 0) throw outside(place.given, FIELD, area);
  await checkRepository(repository, place, FIELD, area);
  const filters = await filtersOf(first.at(top));
  const git = first.at(top).without(filters);

  const leftOut = createLeftOut('the changes');
  const { kinds, notices } = await kindsOf(wish, git);
  const diffs: Diff[] = [];
  for (const kind of kinds) diffs.push(await readDiff(git, kind, specs, leftOut));
  const last = kinds.find(({ where }) => where !== 'staged');
  const untracked =
    last && (await readUntracked(git, top, last.where, specs, area, leftOut, signal));
  const touched = diffs.flatMap(({ files }) => files).filter(({ where }) => where !== 'staged');
  return {
    root: top,
    branch: await branchOf(git),
    files: [...diffs.flatMap(({ files }) => files), ...(untracked?.files ?? [])],
    diffs: [...diffs.flatMap(({ text }) => text ?? []), ...(untracked?.texts ?? [])],
    notices: [
      ...(isInRoots(top, area) ? [] : [PART]),
      ...notices,
      ...diffs.flatMap((diff) => diff.notices),
      ...(untracked?.notices ?? []),
      ...leftOut.notices(),
      ...(await unfiltered(
        git,
        touched.map(({ path }) => path),
        filters,
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
): Promise<{ kinds: readonly DiffWish[]; notices: readonly string[] }> {
  if (compareTo !== undefined) {
    const { commit, notices } = await findBase(git, compareTo);
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

/** Nothing where a commit is checked out in place of a branch. */
async function branchOf(git: Git): Promise<string | undefined> {
  const { code, stdout } = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const name = stdout.toString('utf8').trim();
  return code === 0 && name !== '' ? name : undefined;
}

async function unfiltered(
  git: Git,
  files: readonly string[],
  filters: readonly string[],
): Promise<readonly string[]> {
  const found = await filteredFiles(git, files, filters);
  if (found.length === 0) return [];
  const [name = ''] = found;
  return [
    `Programs that a repository sets for its files are not run: ${found.length} changed files, such as ${oneLine(name, MAX_NAME_CHARS)}, are shown as they are on disk.`,
  ];
}
