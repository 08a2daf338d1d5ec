import { relative, sep } from 'node:path';
import { isInside, type AllowedRoots } from '../allowed-roots.ts';

/**
 * The pathspecs that git may read in a repository: the parts inside the roots. Empty if there are
 * none.
 */
export function pathspecs(top: string, allowed: AllowedRoots): readonly string[] {
  const parts = partsOf(top, allowed);
  if (parts.length === 0) return [];
  const closed = allowed.closed.filter((folder) => isInside(folder, top));
  return [
    ...parts.map((part) => `:(top,literal)${part}`),
    ...closed.map((part) => excludePathspec(from(top, part))),
  ];
}

/** The folders of a repository inside the roots, relative to its top; '' is all of it. */
export function partsOf(top: string, allowed: AllowedRoots): readonly string[] {
  const isWhole = allowed.roots.some((root) => isInside(top, root));
  if (isWhole) return [''];
  return allowed.roots.filter((root) => isInside(root, top)).map((root) => from(top, root));
}

/** A pathspec that excludes a file. */
export function excludePathspec(path: string): string {
  return `:(top,exclude,literal)${path}`;
}

function from(top: string, part: string): string {
  return relative(top, part).split(sep).join('/');
}
