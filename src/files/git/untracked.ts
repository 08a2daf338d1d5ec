import { join } from 'node:path';
import { basename } from 'node:path/posix';
import { lstat } from 'node:fs/promises';
import type { AskText } from '#core/llm/ask.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { ChangedFile } from '#core/workspace.ts';
import type { AllowedRoots } from '../allowed-roots.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import type { SkippedFiles, SkipReason } from '../skipped-files.ts';
import { MAX_CHANGED_FILES, MAX_DIFF_BYTES, MAX_FILE_BYTES, MAX_FILES } from '../limits.ts';
import { readTextInRoots } from '../read-text-in-roots.ts';
import { mayHoldSecrets } from '#core/secrets/secret-files.ts';
import type { Git } from './git.ts';

export interface Untracked {
  readonly files: readonly ChangedFile[];
  readonly texts: readonly AskText[];
  readonly notices: readonly Notice[];
}

const LIST = ['ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--'];

/** Reads files that git neither tracks nor ignores, like any other file of the caller. */
export async function readUntracked(
  git: Git,
  top: string,
  where: ChangedFile['where'],
  specs: readonly string[],
  allowed: AllowedRoots,
  leftOut: SkippedFiles,
  signal: AbortSignalLike,
): Promise<Untracked> {
  // A truncated list may end inside a name.
  const listed = (await git.text([...LIST, ...specs], { maxBytes: MAX_DIFF_BYTES }))
    .split('\0')
    .slice(0, -1);
  const notices =
    listed.length > MAX_CHANGED_FILES
      ? [notice('untracked_files_cut', { limit: MAX_CHANGED_FILES })]
      : [];
  const files: ChangedFile[] = [];
  const texts: AskText[] = [];
  let bytesLeft = MAX_DIFF_BYTES;
  let filesBeyond = 0;
  for (const path of listed.slice(0, MAX_CHANGED_FILES)) {
    signal.throwIfAborted();
    if (path.endsWith('/')) {
      leftOut.add('nested', path);
      continue;
    }
    files.push({ path, change: 'untracked', where });
    if (mayHoldSecrets(basename(path))) leftOut.add('secret', path);
    else if (texts.length === MAX_FILES || bytesLeft === 0) filesBeyond++;
    else {
      const maxBytes = Math.min(MAX_FILE_BYTES, bytesLeft);
      const file = await readOne(join(top, path), allowed, maxBytes, signal);
      if (typeof file === 'string') {
        if (file === 'too_large' && maxBytes < MAX_FILE_BYTES) filesBeyond++;
        else leftOut.add(file, path);
        continue;
      }
      bytesLeft -= file.bytes;
      texts.push({ name: attachmentName(path), text: file.text });
    }
  }
  if (filesBeyond > 0) {
    const limits = { limitFiles: MAX_FILES, limitBytes: MAX_DIFF_BYTES };
    notices.push(notice('untracked_files_left_out', { count: filesBeyond, ...limits }));
  }
  return { files, texts, notices };
}

async function readOne(
  real: string,
  allowed: AllowedRoots,
  maxBytes: number,
  signal: AbortSignalLike,
): Promise<{ readonly text: string; readonly bytes: number } | SkipReason> {
  const isLink = await lstat(real).then(
    (about) => about.isSymbolicLink(),
    () => false,
  );
  if (isLink) return 'links';
  const file = await readTextInRoots(real, allowed, maxBytes, signal);
  if (file.is === 'text') return file;
  const isTold = file.is === 'no_text' || file.is === 'too_large' || file.is === 'special';
  return isTold ? file.is : 'unread';
}
