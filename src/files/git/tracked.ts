import { lstat } from 'node:fs/promises';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { gitFailure, type Git } from './git.ts';
import { damagedRepository, repositoryTooLarge } from './repository-errors.ts';

/**
 * Paths in the index, relative to the top, as byte strings (latin1), because a path need not be
 * UTF-8.
 */
export interface TrackedPaths {
  /** Every folder with files, and its parents; the top is ''. */
  readonly folders: ReadonlySet<string>;
  readonly submodules: ReadonlySet<string>;
}

const LIST = ['ls-files', '--stage', '-z'];
const MAX_LIST_BYTES = 100_000_000;
const ENTRIES_A_TURN = 10_000;
const SUBMODULE = '160000';
/** Names that git never writes. Only a forged index has them, and git would read their targets. */
const NO_NAME = /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i;
const NO_NAME_ON_WINDOWS = /[\\:]/;

export async function readTracked(
  git: Git,
  top: string,
  signal: AbortSignalLike,
): Promise<TrackedPaths> {
  const output = await git.run(LIST, { maxBytes: MAX_LIST_BYTES });
  if (output.code !== 0) throw gitFailure('ls-files', output);
  if (output.bytes > MAX_LIST_BYTES) throw repositoryTooLarge('index', `${MAX_LIST_BYTES} bytes`);
  const list = output.stdout;
  const folders = new Set(['']);
  const submodules = new Set<string>();
  let last = '';
  let entries = 0;
  for (let at = 0, end = list.indexOf(0); end !== -1; at = end + 1, end = list.indexOf(0, at)) {
    // "mode id stage", a tab, the path.
    const path = list.toString('latin1', list.indexOf(0x09, at) + 1, end);
    if (isNoName(path)) throw damagedRepository('index');
    if (list.toString('latin1', at, at + SUBMODULE.length) === SUBMODULE) submodules.add(path);
    const folder = folderOf(path);
    if (folder !== last) {
      last = folder;
      for (let up = folder; !folders.has(up); up = folderOf(up)) folders.add(up);
    }
    if (++entries % ENTRIES_A_TURN > 0) continue;
    // Yields to the event loop.
    await lstat(top);
    signal.throwIfAborted();
  }
  return { folders, submodules };
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function isNoName(path: string): boolean {
  return NO_NAME.test(path) || (process.platform === 'win32' && NO_NAME_ON_WINDOWS.test(path));
}
