import { relative, sep } from 'node:path';
import { isInside, type Area } from '../area.ts';

/** What git may look at in a repository, from its top: the parts that lie in the roots. None at all means that it may not. */
export function pathspecs(top: string, area: Area): readonly string[] {
  const parts = partsOf(top, area);
  if (parts.length === 0) return [];
  const closed = area.closed.filter((folder) => isInside(folder, top));
  return [
    ...parts.map((part) => `:(top,literal)${part}`),
    ...closed.map((part) => except(from(top, part))),
  ];
}

/** The folders of a repository that lie in the roots, from its top; '' is all of it. */
export function partsOf(top: string, area: Area): readonly string[] {
  const isWhole = area.roots.some((root) => isInside(top, root));
  if (isWhole) return [''];
  return area.roots.filter((root) => isInside(root, top)).map((root) => from(top, root));
}

/** Everything but this file. */
export function except(path: string): string {
  return `:(top,exclude,literal)${path}`;
}

function from(top: string, part: string): string {
  return relative(top, part).split(sep).join('/');
}
