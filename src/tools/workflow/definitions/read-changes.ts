import type { ChangesWish, Reader, Workspace } from '#core/workspace.ts';
import type { Gathered } from '../definition.ts';

/** More than anybody reads in an answer; the diffs have them all. */
const MAX_LISTED = 200;

/** What git says has changed: the diffs for the expert, and what they are of for the caller. */
export async function readChanges(
  wish: ChangesWish,
  workspace: Pick<Workspace, 'changes'>,
  by: Reader,
): Promise<Gathered> {
  const { compareTo, staged, unstaged } = wish;
  if (compareTo === undefined && staged === 'no' && unstaged === 'no') {
    const notice =
      'Nothing was read from git: compare_to is not given, and neither staged nor unstaged changes are wanted.';
    return { texts: [], facts: {}, notices: [notice] };
  }
  const { root, branch, files, diffs, notices } = await workspace.changes(wish, by);
  return {
    texts: diffs,
    facts: {
      changes: {
        repository: root,
        ...(branch !== undefined && { branch }),
        ...(compareTo !== undefined && { compared_to: compareTo }),
        files: files.slice(0, MAX_LISTED),
        count: files.length,
      },
    },
    notices: [...notices, ...(files.length === 0 ? ['Git knows of no such changes.'] : [])],
  };
}
