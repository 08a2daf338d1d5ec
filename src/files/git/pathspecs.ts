import { relative, sep } from 'node:path';
import { isInside, type Area } from '../area.ts';

/** What git may look at in a repository, from its top: the parts that lie in the roots. None at all means that it may not. */
export function pathspecs(top: string, area: Area): readonly string[] {
  const isWhole = area.roots.some((root) => isInside(top, root));
  const parts = isWhole ? [top] : area.roots.filter((root) => isInside(root, top));
  if (parts.length === 0) return [];
  const closed = area.closed.filter((folder) => isInside(folder, top));
  return [
    ...parts.map((part) => spec(top, part)),
    ...closed.map((part) => except(from(top, part))),
  ];
}

/** Everything but this file. */
export function except(path: string): string {
  return `:(top,exclude,literal)${path}`;
}

function spec(top: string, part: string): string {
  return `:(top,literal)${from(top, part)}`;
}

function from(top: string, part: string): string {
  return relative(top, part).split(sep).join('/');
}
