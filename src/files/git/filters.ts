import { CallError } from '#core/call-error.ts';
import { failure, type Git } from './git.ts';

/** Every one of them makes the environment longer. */
const MAX_FILTERS = 100;

/** Names of the programs that settings, whoever wrote them, would have git run over files. */
export async function filtersOf(git: Git): Promise<readonly string[]> {
  const args = ['config', '--null', '--name-only', '--get-regexp', String.raw`^filter\.`];
  const output = await git.run(args);
  // 1: there are none.
  if (output.code === 1) return [];
  if (output.code !== 0) throw failure('config', output);
  const names = new Set<string>();
  for (const key of output.stdout.toString('utf8').split('\0')) {
    const name = /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1];
    if (name !== undefined) names.add(name);
  }
  if (names.size <= MAX_FILTERS && output.bytes === output.stdout.length) return [...names];
  throw new CallError(
    'permission',
    'The repository defines more filters than can be put out of action.',
    {
      fix: `Leave at most ${MAX_FILTERS} filters in its settings.`,
    },
  );
}

/** Which of the files would pass a filter, so that their changes are not what git itself would show. */
export async function filteredFiles(
  git: Git,
  files: readonly string[],
  filters: readonly string[],
): Promise<readonly string[]> {
  if (filters.length === 0 || files.length === 0) return [];
  const input = files.map((file) => `${file}\0`).join('');
  const fields = (await git.text(['check-attr', '--stdin', '-z', 'filter'], { input })).split('\0');
  const known = new Set(filters);
  const found: string[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (known.has(fields[at + 2] ?? '')) found.push(fields[at] ?? '');
  }
  return found;
}
