import type { AskText } from '#core/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { ChangedFile } from '#core/workspace.ts';
import { basename } from 'node:path/posix';
import { MAX_CHANGED_FILES, MAX_DIFF_BYTES } from '../limits.ts';
import type { LeftOut } from '../left-out.ts';
import { mayHoldSecrets } from '#core/secret-files.ts';
import type { Git } from './git.ts';
import { failure } from './git-failure.ts';
import type { GitOutput } from './run-git.ts';
import { parseChanges, type Listed } from './parse-changes.ts';
import { except } from './pathspecs.ts';

/** One kind of change. */
export interface DiffWish {
  readonly where: ChangedFile['where'];
  /** As the text is called, in brackets, and in sentences. */
  readonly name: string;
  /** What is compared: `--cached`, a commit, or nothing. */
  readonly compared: readonly string[];
}

export interface Diff {
  readonly files: readonly ChangedFile[];
  readonly text: AskText | undefined;
  readonly notices: readonly Notice[];
}

/** No program is run for it, submodules are not entered, and no setting changes how it looks. */
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
/** Arguments have an end; each file that is kept back takes one. */
const MAX_KEPT_BACK_CHARS = 60_000;
export async function readDiff(
  git: Git,
  { where, name, compared }: DiffWish,
  specs: readonly string[],
  leftOut: LeftOut,
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
  const kept = secret
    .flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
    .map(except);
  if (kept.join(' ').length > MAX_KEPT_BACK_CHARS || listing.bytes > MAX_DIFF_BYTES) {
    notices.push(notice('diff_left_out', { changes: name }));
    return { files, text: undefined, notices };
  }
  const patch = await git.run([...DIFF, ...PATCH, ...compared, '--', ...specs, ...kept], {
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

/** Under its new name a key is the same key. */
function isSecret({ path, from }: Listed): boolean {
  return mayHoldSecrets(basename(path)) || (from !== undefined && mayHoldSecrets(basename(from)));
}

function checkEnd(output: GitOutput): void {
  if (output.code !== 0 && output.rest !== 'stopped') throw failure('diff', output);
}

/** Whole lines within the limit. */
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
