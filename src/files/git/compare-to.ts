import { CallError } from '#core/call-error.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { didYouMean } from '#core/nearest.ts';
import { shown } from '../to-absolute.ts';
import type { Git } from './git.ts';
import type { Refs } from './refs.ts';

/** Where a comparison begins. */
export interface Base {
  readonly commit: string;
  readonly notices: readonly Notice[];
}

const FIELD = 'compare_to';
const FIX = 'Name a branch, a tag or a commit that the repository has.';
const MAX_NAME_CHARS = 250;
const SHORT_CHARS = 12;

/** Whether it may be a name at all is known before anything is looked up. */
export function checkName(given: string): void {
  const isName =
    given.trim() !== '' &&
    given.length <= MAX_NAME_CHARS &&
    !given.startsWith('-') &&
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    !/[\u0000-\u001f\u007f]/.test(given);
  if (isName) return;
  const message = `compare_to is no name of a commit: ${shown(given)}.`;
  throw new CallError('validation', message, { field: FIELD, fix: FIX });
}

/**
 * The commit that a name stands for; or, where both went on since, the one that the work left it at: what others did there
 * meanwhile is no change of the work.
 */
export async function findBase(git: Git, given: string, refs: Refs): Promise<Base> {
  const commit = await commitOf(git, given);
  if (commit === undefined) {
    const names = (await refs.names()).map(shortOf);
    const hint = didYouMean(given, names) || '.';
    const message = `"compare_to": the repository has no commit ${shown(given)}${hint}`;
    throw new CallError('validation', message, { field: FIELD, fix: FIX });
  }
  const common = await git.run(['merge-base', commit, 'HEAD']);
  const base = common.code === 0 ? common.stdout.toString('latin1').trim() : commit;
  if (base === commit) return { commit, notices: [] };
  const moved = { name: shown(given), commit: base.slice(0, SHORT_CHARS) };
  return { commit: base, notices: [notice('changes_since_merge_base', moved)] };
}

async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { code, stdout } = await git.run(args);
  const commit = stdout.toString('latin1').trim();
  return code === 0 && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined;
}

function shortOf(name: string): string {
  return name.replace(/^refs\/(?:heads|remotes|tags)\//, '');
}
