import { isAbsolute, relative, resolve } from 'node:path';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';

/** URLs, drives and shares of Windows, and homes: they mean the same from everywhere, or nothing. */
const IS_WHOLE = /^(?:file:|[a-z][a-z0-9+.-]+:\/\/|[a-z]:[\\/]|\\\\|~(?:\/|$))/i;
const MAX_SHOWN_CHARS = 200;

/** Whether a path names the same file wherever its caller works. */
export function isPlaced(path: string): boolean {
  return isAbsolute(path) || IS_WHOLE.test(path);
}

/** A later call may come from elsewhere, where the same relative path is another file. */
export function place(path: string, [root]: readonly string[]): string {
  if (root === undefined || isPlaced(path) || path.trim() === '') return path;
  return resolve(root, path);
}

/** A path as it reads from the first root, where it lies in it. */
export function unplace(path: string, [root]: readonly string[]): string {
  if (root === undefined || !isAbsolute(path)) return path;
  const inner = relative(root, path);
  const isInside = inner !== '' && !/^\.\.(?:[\\/]|$)/.test(inner) && !isAbsolute(inner);
  return isInside ? inner : path;
}

/**
 * Paths of earlier calls that still mean what they meant. One that was named without a root to place it by means another file to
 * whoever has roots.
 */
export function stillMeant(
  paths: readonly string[],
  roots: readonly string[],
): { readonly paths: readonly string[]; readonly notices: readonly Notice[] } {
  if (roots.length === 0) return { paths, notices: [] };
  return {
    paths: paths.filter(isPlaced),
    notices: paths
      .filter((path) => !isPlaced(path))
      .map((path) => notice('file_path_relative', { path: oneLine(path, MAX_SHOWN_CHARS) })),
  };
}
