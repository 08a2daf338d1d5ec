import type { ListPage } from '#core/calls.ts';

/** Anything that is listed, by what it is sorted. */
export interface Entry {
  readonly key: string;
  readonly json: string;
}

/**
 * Cuts a sorted list into pages. A cursor is the last key of a page, so that a list that changes between two of them
 * neither repeats nor leaves out what stayed.
 */
export function createPages(
  entries: readonly Entry[],
  pageSize: number,
): (cursor: string | undefined) => ListPage | undefined {
  const first = page(entries, 0, pageSize);
  return (cursor) => {
    if (!cursor) return first;
    const key = keyOf(cursor);
    if (key === undefined) return undefined;
    return page(entries, countUpTo(entries, key), pageSize);
  };
}

function page(entries: readonly Entry[], from: number, size: number): ListPage {
  const part = entries.slice(from, from + size);
  const last = part.at(-1);
  const isEnd = from + size >= entries.length || last === undefined;
  return {
    json: `[${part.map(({ json }) => json).join(',')}]`,
    next: isEnd ? undefined : Buffer.from(last.key).toString('base64url'),
  };
}

function keyOf(cursor: string): string | undefined {
  const key = Buffer.from(cursor, 'base64url').toString();
  // Decoding is lenient; only what we would have given out is a cursor.
  return Buffer.from(key).toString('base64url') === cursor ? key : undefined;
}

/** How many entries are not after this key. */
function countUpTo(entries: readonly Entry[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
