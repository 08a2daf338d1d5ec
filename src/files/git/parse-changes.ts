import type { ChangedFile } from '#core/workspace.ts';

type Change = ChangedFile['change'];

/** A changed file as git lists it. */
export interface Listed {
  readonly path: string;
  readonly change: Change;
  /** Where it was before it was renamed. */
  readonly from?: string;
}

const CHANGES: Record<string, Change> = { A: 'added', D: 'deleted', M: 'modified', R: 'renamed' };

/**
 * Reads what `git diff --raw --numstat -z` prints. The first half has every file that looks changed; the second, with the lines
 * counted, leaves out those that only look so because they were touched.
 */
export function parseChanges(text: string): readonly Listed[] {
  const fields = text.split('\0');
  const listed: (Listed & { readonly mayBeTouched: boolean })[] = [];
  let at = 0;
  while (fields[at]?.startsWith(':')) {
    const [before = '', after = '', , , status = ''] = (fields[at++] ?? '').slice(1).split(' ');
    const from = /^[RC]/.test(status) ? fields[at++] : undefined;
    const path = fields[at++];
    if (path === undefined || path === '') break;
    listed.push({
      path,
      change: CHANGES[status[0] ?? ''] ?? 'other',
      mayBeTouched: status === 'M' && before === after,
      ...(from !== undefined && { from }),
    });
  }
  const counted = new Set<string>();
  while (at < fields.length) {
    const path = /^[\d-]+\t[\d-]+\t(.*)$/s.exec(fields[at++] ?? '')?.[1];
    // Of a renamed file both names stand behind it, each in a field of its own.
    if (path === '') at += 2;
    else if (path !== undefined) counted.add(path);
  }
  return listed
    .filter(({ path, mayBeTouched }) => !mayBeTouched || counted.has(path))
    .map(({ path, change, from }) => ({ path, change, ...(from !== undefined && { from }) }));
}
