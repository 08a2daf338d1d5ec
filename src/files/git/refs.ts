import { lstat, opendir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { didYouMean } from '#core/text/text.ts';
import { containsPath, type AllowedRoots } from '../allowed-roots.ts';
import { quotePath } from '../to-absolute.ts';
import type { Git } from './git.ts';
import { fileKind, readGitFile, readGitText } from './read-git-file.ts';
import { damagedRepository, outsideRoots } from './repository-errors.ts';
import type { Repository } from './repository.ts';

/** The refs of a repository, read by us: git sees only those that a call needs. */
export interface GitRefs {
  /** The branch, or a detached commit; an unborn branch has no commit. */
  head(): Promise<GitHead>;
  /** The commit or tag of a full name (`refs/heads/main`, `ORIG_HEAD`). */
  find(name: string): Promise<string | undefined>;
  /** Full names, up to a limit. */
  names(): Promise<readonly string[]>;
}

export interface GitHead {
  readonly ref: string | undefined;
  readonly id: string | undefined;
}

const MAX_REF_BYTES = 4_000;
const MAX_PSEUDO_BYTES = 1_000_000;
const MAX_PACKED_BYTES = 64_000_000;
const MAX_NAMES = 5_000;
const MAX_ENTRIES = 10_000;
const MAX_LINKS_DEEP = 5;
/** Refs that each work tree has separately. */
const OF_WORK_TREE = /^refs\/(?:bisect|worktree|rewritten)\//;

export function createGitRefs(repository: Repository, idChars: number): GitRefs {
  const { gitDir, commonDir, allowed } = repository;
  const id = new RegExp(`^([0-9a-f]{${idChars}})(?:\\s|$)`);
  let packed: Promise<Buffer> | undefined;

  async function loose(name: string): Promise<{ ref: string } | { id: string } | undefined> {
    const isPseudo = !name.startsWith('refs/');
    const folder = isPseudo || OF_WORK_TREE.test(name) ? gitDir : commonDir;
    const linked = await linkedRef(join(folder, name));
    if (linked !== undefined) return { ref: linked };
    if ((await fileKind(join(folder, name))) === 'folder') return undefined;
    const maxBytes = isPseudo ? MAX_PSEUDO_BYTES : MAX_REF_BYTES;
    const text = await readGitText(folder, name, allowed, maxBytes);
    if (text === undefined) return undefined;
    const start = text.slice(0, MAX_REF_BYTES);
    const ref = start.startsWith('ref:') ? start.slice('ref:'.length).trim() : '';
    if (ref.startsWith('refs/') && isRefName(ref)) return { ref };
    const found = id.exec(start)?.[1];
    if (found === undefined) throw damagedRepository(name);
    return { id: found };
  }

  async function follow(name: string): Promise<string | undefined> {
    let at = name;
    for (let deep = 0; deep < MAX_LINKS_DEEP; deep++) {
      const found = await loose(at);
      if (found === undefined) return at.startsWith('refs/') ? inPacked(at) : undefined;
      if ('id' in found) return found.id;
      at = found.ref;
    }
    throw damagedRepository(name);
  }

  async function packedRefs(): Promise<Buffer> {
    packed ??= readGitFile(commonDir, 'packed-refs', allowed, MAX_PACKED_BYTES).then(
      (file) => file?.bytes ?? Buffer.alloc(0),
    );
    return packed;
  }

  async function inPacked(name: string): Promise<string | undefined> {
    const all = await packedRefs();
    const wanted = Buffer.from(` ${name}\n`);
    for (let at = all.indexOf(wanted); at !== -1; at = all.indexOf(wanted, at + 1)) {
      const start = at - idChars;
      const isLine = start === 0 || all[start - 1] === 0x0a;
      const found = isLine ? id.exec(all.toString('latin1', start, at))?.[1] : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    async head() {
      const found = await loose('HEAD');
      if (found === undefined) throw damagedRepository('HEAD');
      if ('id' in found) return { ref: undefined, id: found.id };
      return { ref: found.ref, id: await follow(found.ref) };
    },
    find: (name) => (isRefName(name) ? follow(name) : Promise.resolve(undefined)),
    async names() {
      const names = new Set(await looseNames(commonDir, allowed));
      // The head of the file is enough for a truncated list.
      const text = (await packedRefs()).toString('utf8', 0, MAX_NAMES * 200);
      for (const [, name = ''] of text.matchAll(/^[0-9a-f]{40,64} (refs\/\S+)$/gm)) {
        if (names.size >= MAX_NAMES) break;
        if (isRefName(name)) names.add(name);
      }
      return [...names].toSorted();
    },
  };
}

/** Validates a name by git-check-ref-format(1), so that it cannot escape its folder. */
function isRefName(name: string): boolean {
  return (
    name.length <= 1_000 &&
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\uFFFD/.test(name) &&
    name.split('/').every((part) => !/^\.|\.lock$|\.$|^$/.test(part))
  );
}

/** Old repositories have symbolic links instead of symbolic refs. */
async function linkedRef(path: string): Promise<string | undefined> {
  const about = await lstat(path).catch(() => undefined);
  if (about?.isSymbolicLink() !== true) return undefined;
  const target = await readlink(path);
  return target.startsWith('refs/') && isRefName(target) ? target : undefined;
}

/** The names of loose refs; links and special files are skipped. */
async function looseNames(commonDir: string, allowed: AllowedRoots): Promise<readonly string[]> {
  const names: string[] = [];
  const folders = ['refs/heads', 'refs/remotes', 'refs/tags'];
  let entries = 0;
  for (const folder of folders) {
    const real = await realpath(join(commonDir, folder)).catch(() => undefined);
    if (real === undefined) continue;
    if (!containsPath(allowed, real)) throw outsideRoots(folder);
    for await (const entry of await opendir(real)) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory() && isRefName(name)) folders.push(name);
      else if (entry.isFile() && isRefName(name)) names.push(name);
      if (++entries === MAX_ENTRIES || names.length === MAX_NAMES) return names;
    }
  }
  return names;
}

/** The refs that git may see. */
export interface NeededRefs {
  /** Ids by full name. */
  readonly ids: ReadonlyMap<string, string>;
  /** Full names whose reflog is needed as well. */
  readonly logs: readonly string[];
}

const PSEUDO = /^[A-Z][A-Z_]*$/;
/** Prefixes of the full names that a short one may stand for, as in gitrevisions(7). */
const MEANINGS = ['refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];

/** The refs of HEAD, and those that a commit name may stand for. */
export async function neededRefs(
  refs: GitRefs,
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
  // A reflog or upstream expression: any name may be meant.
  if (!compareTo.includes('@{')) return { ids, logs: [] };
  for (const name of await refs.names()) await add(name);
  const branches = [head ?? '', `refs/heads/${base}`].filter((name) => ids.has(name));
  return { ids, logs: ['HEAD', ...branches] };
}

/** The base of a comparison. */
interface Base {
  readonly commit: string;
  readonly notices: readonly Notice[];
}

const FIELD = 'compare_to';
const FIX = 'Name a branch, a tag or a commit that the repository has.';
const MAX_NAME_CHARS = 250;
const SHORT_CHARS = 12;

/** Validates the name before anything is looked up. */
export function checkName(given: string): void {
  const isName =
    given.trim() !== '' &&
    given.length <= MAX_NAME_CHARS &&
    !given.startsWith('-') &&
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    !/[\u0000-\u001f\u007f]/.test(given);
  if (isName) return;
  const message = `compare_to is not a commit name: ${quotePath(given)}.`;
  throw new CallError('validation', message, { field: FIELD, fix: FIX });
}

/**
 * The commit to compare with: the named one, or the merge base if both sides have new commits,
 * because the changes of others are not part of the work.
 */
export async function findBase(git: Git, given: string, refs: GitRefs): Promise<Base> {
  const commit = await commitOf(git, given);
  if (commit === undefined) {
    const names = (await refs.names()).map(shortOf);
    const hint = didYouMean(given, names) || '.';
    const message = `"compare_to": the repository has no commit ${quotePath(given)}${hint}`;
    throw new CallError('validation', message, { field: FIELD, fix: FIX });
  }
  const common = await git.run(['merge-base', commit, 'HEAD']);
  const base = common.code === 0 ? common.stdout.toString('latin1').trim() : commit;
  if (base === commit) return { commit, notices: [] };
  const moved = { name: quotePath(given), commit: base.slice(0, SHORT_CHARS) };
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
