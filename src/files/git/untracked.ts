import { join } from 'node:path';
import { basename } from 'node:path/posix';
import { lstat } from 'node:fs/promises';
import type { AskText } from '#core/ask.ts';
import type { Cancel } from '#core/http.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { ChangedFile } from '#core/workspace.ts';
import type { Area } from '../area.ts';
import { materialName } from '#core/material-name.ts';
import type { LeftOut, Reason } from '../left-out.ts';
import { MAX_CHANGED_FILES, MAX_DIFF_BYTES, MAX_FILE_BYTES, MAX_FILES } from '../limits.ts';
import { readText } from '../read-text.ts';
import { mayHoldSecrets } from '#core/secret-files.ts';
import type { Git } from './git.ts';

export interface Untracked {
  readonly files: readonly ChangedFile[];
  readonly texts: readonly AskText[];
  readonly notices: readonly Notice[];
}

const LIST = ['ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--'];

/** Files that git neither knows nor ignores. They are read like any other of the caller's. */
export async function readUntracked(
  git: Git,
  top: string,
  where: ChangedFile['where'],
  specs: readonly string[],
  area: Area,
  leftOut: LeftOut,
  signal: Cancel,
): Promise<Untracked> {
  // A list that is cut off may end within a name.
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
      const file = await readOne(join(top, path), area, maxBytes, signal);
      if (typeof file === 'string') {
        if (file === 'too_large' && maxBytes < MAX_FILE_BYTES) filesBeyond++;
        else leftOut.add(file, path);
        continue;
      }
      bytesLeft -= file.bytes;
      texts.push({ name: materialName(path), text: file.text });
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
  area: Area,
  maxBytes: number,
  signal: Cancel,
): Promise<{ readonly text: string; readonly bytes: number } | Reason> {
  const isLink = await lstat(real).then(
    (about) => about.isSymbolicLink(),
    () => false,
  );
  if (isLink) return 'links';
  const file = await readText(real, area, maxBytes, signal);
  if (file.is === 'text') return file;
  const isTold = file.is === 'no_text' || file.is === 'too_large' || file.is === 'special';
  return isTold ? file.is : 'unread';
}
