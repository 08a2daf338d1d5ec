import { isAbsolute, relative, resolve } from 'node:path';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';

/**
 * URLs, Windows drives and shares, and home folders: they mean the same from every folder, or
 * nothing.
 */
const IS_WHOLE = /^(?:file:|[a-z][a-z0-9+.-]+:\/\/|[a-z]:[\\/]|\\\\|~(?:\/|$))/i;
const MAX_SHOWN_CHARS = 200;

/** Whether a path names the same file from every root. */
export function isRootIndependent(path: string): boolean {
  return isAbsolute(path) || IS_WHOLE.test(path);
}

/**
 * Resolves a relative path against the first root, because a later call may come from another
 * folder.
 */
export function resolveInRoot(path: string, [root]: readonly string[]): string {
  if (root === undefined || isRootIndependent(path) || path.trim() === '') return path;
  return resolve(root, path);
}

/** The path relative to the first root, if it lies inside. */
export function relativeToRoot(path: string, [root]: readonly string[]): string {
  if (root === undefined || !isAbsolute(path)) return path;
  const inner = relative(root, path);
  const isInside = inner !== '' && !/^\.\.(?:[\\/]|$)/.test(inner) && !isAbsolute(inner);
  return isInside ? inner : path;
}

/**
 * Drops relative paths of earlier calls that were saved without a root, because they would name
 * another file under the current roots.
 */
export function dropAmbiguousPaths(
  paths: readonly string[],
  roots: readonly string[],
): { readonly paths: readonly string[]; readonly notices: readonly Notice[] } {
  if (roots.length === 0) return { paths, notices: [] };
  return {
    paths: paths.filter(isRootIndependent),
    notices: paths
      .filter((path) => !isRootIndependent(path))
      .map((path) => notice('file_path_relative', { path: oneLine(path, MAX_SHOWN_CHARS) })),
  };
}
