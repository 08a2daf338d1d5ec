import type { Refs } from './refs.ts';

/** What git is told of a repository's names. */
export interface NeededRefs {
  /** Whole names with what they stand for. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whole names whose history is needed, too. */
  readonly logs: readonly string[];
}

const PSEUDO = /^[A-Z][A-Z_]*$/;
/** The names that a short one may stand for, as gitrevisions(7) lists them. */
const MEANINGS = ['refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];

/** Those of HEAD, and those that a name of a commit may mean. */
export async function neededRefs(
  refs: Refs,
  head: string | undefined,
  compareTo: string | undefined,
): Promise<NeededRefs> {
  const ids = new Map<string, string>();
  const add = async (name: string) => {
    const id = ids.has(name) ? undefined : await refs.find(name);
    if (id !== undefined) ids.set(name, id);
  };
  if (head !== undefined) await add(head);
  if (compareTo === undefined) return { ids, logs: [] };

  const [base = ''] = compareTo.split(/[~^:]|@\{/, 1);
  if (PSEUDO.test(base) && base !== 'HEAD') await add(base);
  if (base !== '' && base !== '@' && base !== 'HEAD') {
    if (base.startsWith('refs/')) await add(base);
    for (const start of MEANINGS) await add(`${start}${base}`);
    await add(`refs/remotes/${base}/HEAD`);
  }
  // An earlier branch, or what a branch follows: any name may be meant.
  if (!compareTo.includes('@{')) return { ids, logs: [] };
  for (const name of await refs.names()) await add(name);
  const branches = [head ?? '', `refs/heads/${base}`].filter((name) => ids.has(name));
  return { ids, logs: ['HEAD', ...branches] };
}
