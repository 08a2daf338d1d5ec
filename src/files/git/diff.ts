import { basename } from 'node:path/posix';
import type { AskText } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { mayHoldSecrets } from '#core/secrets/secret-files.ts';
import { oneLine } from '#core/text/text.ts';
import type { ChangedFile } from '#core/workspace.ts';
import { MAX_CHANGED_FILES, MAX_DIFF_BYTES } from '../limits.ts';
import type { SkippedFiles } from '../skipped-files.ts';
import { gitFailure, type Git, type GitOutput } from './git.ts';
import { excludePathspec } from './pathspecs.ts';

/** One kind of changes. */
export interface DiffOptions {
  readonly where: ChangedFile['where'];
  /** Title of the text, in brackets, and name in messages. */
  readonly name: string;
  /** What is compared: `--cached`, a commit, or nothing. */
  readonly compared: readonly string[];
}

export interface Diff {
  readonly files: readonly ChangedFile[];
  readonly text: AskText | undefined;
  readonly notices: readonly Notice[];
}

/** Runs no external program, enters no submodule and ignores settings. */
const DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--ignore-submodules=dirty',
  '--submodule=short',
  '-M',
  '-l1000',
  '-O/dev/null',
];
const PATCH = ['--patch', '-U3', '--inter-hunk-context=0', '--src-prefix=a/', '--dst-prefix=b/'];
/** Limit for the command line; each excluded file takes an argument. */
const MAX_EXCLUDED_CHARS = 60_000;
export async function readDiff(
  git: Git,
  { where, name, compared }: DiffOptions,
  specs: readonly string[],
  leftOut: SkippedFiles,
): Promise<Diff> {
  const notices: Notice[] = [];
  const listing = await git.run(
    [...DIFF, '--raw', '--numstat', '-z', ...compared, '--', ...specs],
    {
      maxBytes: MAX_DIFF_BYTES,
    },
  );
  checkEnd(listing);
  const listed = parseChanges(listing.stdout.toString('utf8'));
  if (listing.bytes > MAX_DIFF_BYTES || listed.length > MAX_CHANGED_FILES) {
    notices.push(notice('changed_files_cut', { changes: name, limit: MAX_CHANGED_FILES }));
  }
  const files = listed
    .slice(0, MAX_CHANGED_FILES)
    .map(({ path, change }): ChangedFile => ({ path, change, where }));
  if (listed.length === 0) return { files, text: undefined, notices };

  const secret = listed.filter(isSecret);
  for (const { path } of secret) leftOut.add('secret', path);
  const excluded = secret
    .flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
    .map(excludePathspec);
  if (excluded.join(' ').length > MAX_EXCLUDED_CHARS || listing.bytes > MAX_DIFF_BYTES) {
    notices.push(notice('diff_left_out', { changes: name }));
    return { files, text: undefined, notices };
  }
  const patch = await git.run([...DIFF, ...PATCH, ...compared, '--', ...specs, ...excluded], {
    maxBytes: MAX_DIFF_BYTES,
  });
  checkEnd(patch);
  const { text, notices: about } = toText(patch, name);
  return {
    files,
    text: text === '' ? undefined : { name: `[${name}]`, text },
    notices: [...notices, ...about],
  };
}

/** A renamed key is still a key. */
function isSecret({ path, from }: ListedChange): boolean {
  return mayHoldSecrets(basename(path)) || (from !== undefined && mayHoldSecrets(basename(from)));
}

function checkEnd(output: GitOutput): void {
  if (output.code !== 0 && output.rest !== 'stopped') throw gitFailure('diff', output);
}

/** The output as text: whole lines within the limit. */
function toText(
  { stdout, bytes, rest }: GitOutput,
  name: string,
): { text: string; notices: readonly Notice[] } {
  const notices: Notice[] = [];
  let shown = stdout;
  if (bytes > stdout.length) {
    shown = stdout.subarray(0, stdout.lastIndexOf('\n') + 1 || stdout.length);
    notices.push(
      notice('diff_cut', {
        changes: name,
        bytes,
        leftOutBytes: bytes - shown.length,
        measured: rest === 'stopped' ? 'at_least' : 'all',
      }),
    );
  }
  const text = new TextDecoder().decode(shown);
  if (text.includes('\uFFFD')) {
    notices.push(notice('diff_not_utf8', { changes: name }));
  }
  return { text, notices };
}

const MAX_NAME_CHARS = 100;
/** Values of git that name no program. */
const NO_PROGRAM = new Set(['unspecified', 'unset', 'set', '']);

/**
 * Notices for changed files that git would pass through a filter program; here they are compared
 * unfiltered.
 */
export async function unfilteredNotices(
  git: Git,
  files: readonly string[],
): Promise<readonly Notice[]> {
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

/** A changed file as git lists it. */
interface ListedChange {
  readonly path: string;
  readonly change: Change;
  /** The old path of a renamed file. */
  readonly from?: string;
}

type Change = ChangedFile['change'];

const CHANGES: Record<string, Change> = { A: 'added', D: 'deleted', M: 'modified', R: 'renamed' };

/**
 * Parses the output of `git diff --raw --numstat -z`. The first half lists every file that looks
 * changed; the second, with line counts, omits those that were only touched.
 */
function parseChanges(text: string): readonly ListedChange[] {
  const fields = text.split('\0');
  const listed: (ListedChange & { readonly mayBeTouched: boolean })[] = [];
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
    // A renamed file has both names after it, each in its own field.
    if (path === '') at += 2;
    else if (path !== undefined) counted.add(path);
  }
  return listed
    .filter(({ path, mayBeTouched }) => !mayBeTouched || counted.has(path))
    .map(({ path, change, from }) => ({ path, change, ...(from !== undefined && { from }) }));
}
