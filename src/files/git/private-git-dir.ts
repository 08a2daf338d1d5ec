import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NeededRefs } from './needed-refs.ts';
import { readGitFile, type GitFile } from './read-git-file.ts';
import type { Head } from './refs.ts';
import type { Repository } from './repository.ts';
import { damaged } from './repository-fault.ts';
import type { RepositorySettings, Setting } from './repository-settings.ts';

export interface PrivateWish {
  readonly repository: Repository;
  readonly settings: RepositorySettings;
  /** Of the user; the repository's own count more. */
  readonly userCore: readonly Setting[];
  readonly head: Head;
  readonly refs: NeededRefs;
}

const MAX_INDEX_BYTES = 100_000_000;
const MAX_SHALLOW_BYTES = 5_000_000;
const MAX_INFO_BYTES = 1_000_000;
const MAX_LOG_BYTES = 20_000_000;

/** Whatever else is set: nothing is run, written or fetched, and names are told as they are. */
const SETTINGS: readonly Setting[] = [
  ['core.bare', 'false'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedcache', 'false'],
  ['core.hookspath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.quotepath', 'false'],
  ['protocol.allow', 'never'],
  // Reading must not write: the index stays as it is.
  ['diff.autorefreshindex', 'false'],
];

/**
 * Fills a folder that git takes for the repository's own data: copies of what describes its state, and settings that we wrote. Only the
 * objects are read where they are; they are checked apart.
 */
export async function fillGitDir(folder: string, wish: PrivateWish): Promise<void> {
  const { repository, settings, userCore, head, refs } = wish;
  const { gitDir, commonDir, area } = repository;
  const put = async (name: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  };
  await mkdir(join(folder, 'refs'));
  await put('HEAD', head.ref === undefined ? `${head.id}\n` : `ref: ${head.ref}\n`);
  await put('config', configText([...userCore, ...settings.core, ...SETTINGS], settings, refs));
  const packed = [...refs.ids].filter(([name]) => name.startsWith('refs/'));
  await put('packed-refs', packed.map(([name, id]) => `${id} ${name}\n`).join(''));
  for (const [name, id] of refs.ids) if (!name.startsWith('refs/')) await put(name, `${id}\n`);

  const index = await readGitFile(gitDir, 'index', area, MAX_INDEX_BYTES);
  if (index !== undefined) {
    await putIndex(join(folder, 'index'), index);
    const shared = await sharedIndexOf(index.bytes, gitDir);
    const half = shared && (await readGitFile(gitDir, shared, area, MAX_INDEX_BYTES));
    if (shared && half) await putIndex(join(folder, shared), half);
  }

  const shallow = await readGitFile(commonDir, 'shallow', area, MAX_SHALLOW_BYTES);
  if (shallow !== undefined) {
    const lines = shallow.bytes.toString('latin1').replace(/\n$/, '').split('\n');
    if (!lines.every((id) => /^[0-9a-f]{40,64}$/.test(id))) throw damaged('shallow');
    await put('shallow', shallow.bytes);
  }
  for (const name of ['info/exclude', 'info/attributes']) {
    const file = await readGitFile(commonDir, name, area, MAX_INFO_BYTES);
    if (file !== undefined) await put(name, file.bytes);
  }
  for (const ref of refs.logs) {
    const base = ref === 'HEAD' ? gitDir : commonDir;
    const log = await readGitFile(base, `logs/${ref}`, area, MAX_LOG_BYTES);
    if (log !== undefined) await put(`logs/${ref}`, log.bytes);
  }
}

/**
 * With its time: what changed in the same moment as the index was written is looked into by git and not believed. The time is rounded
 * down, so that a moment more is looked into.
 */
async function putIndex(path: string, { bytes, modifiedNs }: GitFile): Promise<void> {
  await writeFile(path, bytes);
  const seconds = Number(modifiedNs / 1_000n - 1n) / 1_000_000;
  await utimes(path, seconds, seconds);
}

/** The other half of an index that is kept in two files. */
async function sharedIndexOf(index: Buffer, gitDir: string): Promise<string | undefined> {
  if (!index.includes('link')) return undefined;
  const names = await readdir(gitDir);
  return names.find((name) => {
    const id = /^sharedindex\.([0-9a-f]{40,64})$/.exec(name)?.[1];
    return id !== undefined && index.includes(Buffer.from(id, 'hex'));
  });
}

function configText(
  core: readonly Setting[],
  { objectFormat, raw }: RepositorySettings,
  { logs }: NeededRefs,
): string {
  const version = objectFormat === 'sha1' ? '0' : '1';
  const all: Setting[] = [['core.repositoryformatversion', version], ...core];
  if (objectFormat === 'sha256') all.push(['extensions.objectformat', objectFormat]);
  for (const log of logs) {
    const branch = log.replace(/^refs\/heads\//, '');
    all.push(...followed(`branch.${branch}`, ['remote', 'merge'], raw));
    const remote = raw.get(`branch.${branch}.remote`);
    if (typeof remote === 'string') all.push(...followed(`remote.${remote}`, ['fetch'], raw));
  }
  return all.map(([key, value]) => line(key, value)).join('');
}

/** What a branch follows: names of refs only, and no address. */
function followed(
  section: string,
  keys: readonly string[],
  raw: RepositorySettings['raw'],
): readonly Setting[] {
  return keys.flatMap((key) => {
    const value = raw.get(`${section}.${key}`);
    return typeof value === 'string' ? [[`${section}.${key}`, value] as const] : [];
  });
}

function line(key: string, value: string): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  const section = key.slice(0, first);
  const sub = first === last ? '' : ` "${escaped(key.slice(first + 1, last))}"`;
  return `[${section}${sub}]\n\t${key.slice(last + 1)} = "${escaped(value).replaceAll('\n', '\\n')}"\n`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\"]/g, String.raw`\$&`);
}
