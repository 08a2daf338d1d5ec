import { lstat, opendir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { holds, type Area } from '../area.ts';
import type { Repository } from './repository.ts';
import { readGitFile, readGitText, kindOf } from './read-git-file.ts';
import { damaged, keptOutside } from './repository-fault.ts';

/** What the names of a repository stand for, read by us: git sees only those that a call needs. */
export interface Refs {
  /** The branch, or the commit in its place; an unborn branch has no commit. */
  head(): Promise<Head>;
  /** The commit or tag that a whole name (`refs/heads/main`, `ORIG_HEAD`) stands for. */
  find(name: string): Promise<string | undefined>;
  /** Whole names, as many as may be looked at. */
  names(): Promise<readonly string[]>;
}

export interface Head {
  readonly ref: string | undefined;
  readonly id: string | undefined;
}

const MAX_REF_BYTES = 4_000;
const MAX_PSEUDO_BYTES = 1_000_000;
const MAX_PACKED_BYTES = 64_000_000;
const MAX_NAMES = 5_000;
const MAX_ENTRIES = 10_000;
const MAX_LINKS_DEEP = 5;
/** Each work tree has its own. */
const OF_WORK_TREE = /^refs\/(?:bisect|worktree|rewritten)\//;

export function createRefs(repository: Repository, idChars: number): Refs {
  const { gitDir, commonDir, area } = repository;
  const id = new RegExp(`^([0-9a-f]{${idChars}})(?:\\s|$)`);
  let packed: Promise<Buffer> | undefined;

  async function loose(name: string): Promise<{ ref: string } | { id: string } | undefined> {
    const isPseudo = !name.startsWith('refs/');
    const folder = isPseudo || OF_WORK_TREE.test(name) ? gitDir : commonDir;
    const linked = await linkedRef(join(folder, name));
    if (linked !== undefined) return { ref: linked };
    if ((await kindOf(join(folder, name))) === 'folder') return undefined;
    const maxBytes = isPseudo ? MAX_PSEUDO_BYTES : MAX_REF_BYTES;
    const text = await readGitText(folder, name, area, maxBytes);
    if (text === undefined) return undefined;
    const start = text.slice(0, MAX_REF_BYTES);
    const ref = start.startsWith('ref:') ? start.slice('ref:'.length).trim() : '';
    if (ref.startsWith('refs/') && isRefName(ref)) return { ref };
    const found = id.exec(start)?.[1];
    if (found === undefined) throw damaged(name);
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
    throw damaged(name);
  }

  async function packedRefs(): Promise<Buffer> {
    packed ??= readGitFile(commonDir, 'packed-refs', area, MAX_PACKED_BYTES).then(
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
      if (found === undefined) throw damaged('HEAD');
      if ('id' in found) return { ref: undefined, id: found.id };
      return { ref: found.ref, id: await follow(found.ref) };
    },
    find: (name) => (isRefName(name) ? follow(name) : Promise.resolve(undefined)),
    async names() {
      const names = new Set(await looseNames(commonDir, area));
      // The beginning of it is enough for a list that is cut off anyway.
      const text = (await packedRefs()).toString('utf8', 0, MAX_NAMES * 200);
      for (const [, name = ''] of text.matchAll(/^[0-9a-f]{40,64} (refs\/\S+)$/gm)) {
        if (names.size >= MAX_NAMES) break;
        if (isRefName(name)) names.add(name);
      }
      return [...names].toSorted();
    },
  };
}

/** As git-check-ref-format(1) has it; and so no way out of the folder it is looked up in. */
export function isRefName(name: string): boolean {
  return (
    name.length <= 1_000 &&
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\uFFFD/.test(name) &&
    name.split('/').every((part) => !/^\.|\.lock$|\.$|^$/.test(part))
  );
}

/** Old repositories have links in place of files that name another ref. */
async function linkedRef(path: string): Promise<string | undefined> {
  const about = await lstat(path).catch(() => undefined);
  if (about?.isSymbolicLink() !== true) return undefined;
  const target = await readlink(path);
  return target.startsWith('refs/') && isRefName(target) ? target : undefined;
}

/** Links and what is no file are passed by. */
async function looseNames(commonDir: string, area: Area): Promise<readonly string[]> {
  const names: string[] = [];
  const folders = ['refs/heads', 'refs/remotes', 'refs/tags'];
  let entries = 0;
  for (const folder of folders) {
    const real = await realpath(join(commonDir, folder)).catch(() => undefined);
    if (real === undefined) continue;
    if (!holds(area, real)) throw keptOutside(folder);
    for await (const entry of await opendir(real)) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory() && isRefName(name)) folders.push(name);
      else if (entry.isFile() && isRefName(name)) names.push(name);
      if (++entries === MAX_ENTRIES || names.length === MAX_NAMES) return names;
    }
  }
  return names;
}
