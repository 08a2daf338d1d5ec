import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GitHead, NeededRefs } from './refs.ts';
import { readGitFile, type GitFile } from './read-git-file.ts';
import type { Repository } from './repository.ts';
import { damagedRepository } from './repository-errors.ts';
import type { RepositorySettings, GitSetting } from './git-settings.ts';

export interface GitDirOptions {
  readonly repository: Repository;
  readonly settings: RepositorySettings;
  /** Settings of the user; those of the repository override them. */
  readonly userCore: readonly GitSetting[];
  readonly head: GitHead;
  readonly refs: NeededRefs;
}

const MAX_INDEX_BYTES = 100_000_000;
const MAX_SHALLOW_BYTES = 5_000_000;
const MAX_INFO_BYTES = 1_000_000;
const MAX_LOG_BYTES = 20_000_000;

/** Fixed settings: nothing is run, written or fetched, and names are not quoted. */
const SETTINGS: readonly GitSetting[] = [
  ['core.bare', 'false'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedcache', 'false'],
  ['core.hookspath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.quotepath', 'false'],
  ['protocol.allow', 'never'],
  // Reading must not write the index.
  ['diff.autorefreshindex', 'false'],
];

/**
 * Fills a private git directory: copies of the repository's state, and settings that we wrote. Only
 * the objects are used in place; they are checked separately.
 */
export async function fillGitDir(folder: string, options: GitDirOptions): Promise<void> {
  const { repository, settings, userCore, head, refs } = options;
  const { gitDir, commonDir, allowed } = repository;
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

  const index = await readGitFile(gitDir, 'index', allowed, MAX_INDEX_BYTES);
  if (index !== undefined) {
    await putIndex(join(folder, 'index'), index);
    const shared = await sharedIndexOf(index.bytes, gitDir);
    const half = shared && (await readGitFile(gitDir, shared, allowed, MAX_INDEX_BYTES));
    if (shared && half) await putIndex(join(folder, shared), half);
  }

  const shallow = await readGitFile(commonDir, 'shallow', allowed, MAX_SHALLOW_BYTES);
  if (shallow !== undefined) {
    const lines = shallow.bytes.toString('latin1').replace(/\n$/, '').split('\n');
    if (!lines.every((id) => /^[0-9a-f]{40,64}$/.test(id))) throw damagedRepository('shallow');
    await put('shallow', shallow.bytes);
  }
  for (const name of ['info/exclude', 'info/attributes']) {
    const file = await readGitFile(commonDir, name, allowed, MAX_INFO_BYTES);
    if (file !== undefined) await put(name, file.bytes);
  }
  for (const ref of refs.logs) {
    const base = ref === 'HEAD' ? gitDir : commonDir;
    const log = await readGitFile(base, `logs/${ref}`, allowed, MAX_LOG_BYTES);
    if (log !== undefined) await put(`logs/${ref}`, log.bytes);
  }
}

/**
 * Writes the index with its modification time, because git re-reads files changed at the same
 * moment. The time is rounded down, so that git re-reads rather more.
 */
async function putIndex(path: string, { bytes, modifiedNs }: GitFile): Promise<void> {
  await writeFile(path, bytes);
  const seconds = Number(modifiedNs / 1_000n - 1n) / 1_000_000;
  await utimes(path, seconds, seconds);
}

/** The shared part of a split index. */
async function sharedIndexOf(index: Buffer, gitDir: string): Promise<string | undefined> {
  if (!index.includes('link')) return undefined;
  const names = await readdir(gitDir);
  return names.find((name) => {
    const id = /^sharedindex\.([0-9a-f]{40,64})$/.exec(name)?.[1];
    return id !== undefined && index.includes(Buffer.from(id, 'hex'));
  });
}

function configText(
  core: readonly GitSetting[],
  { objectFormat, raw }: RepositorySettings,
  { logs }: NeededRefs,
): string {
  const version = objectFormat === 'sha1' ? '0' : '1';
  const all: GitSetting[] = [['core.repositoryformatversion', version], ...core];
  if (objectFormat === 'sha256') all.push(['extensions.objectformat', objectFormat]);
  for (const log of logs) {
    const branch = log.replace(/^refs\/heads\//, '');
    all.push(...followed(`branch.${branch}`, ['remote', 'merge'], raw));
    const remote = raw.get(`branch.${branch}.remote`);
    if (typeof remote === 'string') all.push(...followed(`remote.${remote}`, ['fetch'], raw));
  }
  return all.map(([key, value]) => line(key, value)).join('');
}

/** The upstream settings of a branch: names of refs only, no URLs. */
function followed(
  section: string,
  keys: readonly string[],
  raw: RepositorySettings['raw'],
): readonly GitSetting[] {
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
