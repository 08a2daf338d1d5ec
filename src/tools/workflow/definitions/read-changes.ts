import { notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';
import type { ChangedFile, ChangesWish, Reader, Workspace } from '#core/workspace.ts';
import type { Gathered } from '../definition.ts';
import { titled } from '../words.ts';

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
    return { texts: [], facts: {}, notices: [notice('no_changes_requested', {})] };
  }
  const { root, branch, files, diffs, notices } = await workspace.changes(wish, by);
  return {
    of: root,
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
    words: titled(`Changed files (${files.length})`, fileLines(files)),
    notices: [...notices, ...(files.length === 0 ? [notice('no_changes', {})] : [])],
    ...(files.length === 0 && { nothing: nothingSince(compareTo) }),
  };
}

const MAX_SHOWN = 20;
const MAX_PATH_CHARS = 200;

function fileLines(files: readonly ChangedFile[]): string {
  const lines = files
    .slice(0, MAX_SHOWN)
    .map(({ path, change, where }) => `- ${oneLine(path, MAX_PATH_CHARS)} (${change}, ${where})`);
  const left = files.length - MAX_SHOWN;
  return [...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

function nothingSince(compareTo: string | undefined): string {
  return compareTo === undefined
    ? 'nothing is changed that is not committed (compare_to names a branch or commit to compare with)'
    : `nothing has changed since ${oneLine(compareTo, MAX_PATH_CHARS)}`;
}
