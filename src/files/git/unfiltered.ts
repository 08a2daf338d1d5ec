import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';
import type { Git } from './git.ts';

const MAX_NAME_CHARS = 100;
/** What git answers where no program is named. */
const NO_PROGRAM = new Set(['unspecified', 'unset', 'set', '']);

/** Tells of changed files that git itself would pass through a program: here they are not what it would show. */
export async function unfiltered(git: Git, files: readonly string[]): Promise<readonly Notice[]> {
  if (files.length === 0) return [];
  const input = files.map((file) => `${file}\0`).join('');
  const fields = (await git.text(['check-attr', '--stdin', '-z', 'filter'], { input })).split('\0');
  const found: string[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (!NO_PROGRAM.has(fields[at + 2] ?? '')) found.push(fields[at] ?? '');
  }
  if (found.length === 0) return [];
  const [name = ''] = found;
  return [notice('filters_not_run', { count: found.length, file: oneLine(name, MAX_NAME_CHARS) })];
}
