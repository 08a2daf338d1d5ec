import type { AskText } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';
import type { Reader, ReadTexts, Workspace } from '#core/workspace.ts';

const MAX_PATHS = 300;
const MAX_CHARS = 20_000_000;
const MAX_SHOWN_CHARS = 200;

/**
 * The files that matter, as they are now. What cannot be read is told and no reason to fail: the caller's own work must not be lost
 * for a path that is wrong.
 */
export async function readExpertFiles(
  paths: readonly string[],
  workspace: Pick<Workspace, 'read'>,
  by: Reader,
): Promise<ReadTexts> {
  if (paths.length === 0) return { texts: [], notices: [] };
  if (paths.length <= MAX_PATHS) {
    const all = await tryRead(paths, workspace, by);
    if (!(all instanceof CallError)) return all;
  }
  return readEach(paths, workspace, by);
}

async function readEach(
  paths: readonly string[],
  workspace: Pick<Workspace, 'read'>,
  by: Reader,
): Promise<ReadTexts> {
  const texts: AskText[] = [];
  const notices: Notice[] = [];
  let chars = 0;
  let at = 0;
  for (; at < Math.min(paths.length, MAX_PATHS) && chars < MAX_CHARS; at += 1) {
    const path = paths[at] ?? '';
    const found = await tryRead([path], workspace, by);
    if (found instanceof CallError) {
      const unread = { path: oneLine(path, MAX_SHOWN_CHARS), error: errorText(found) };
      notices.push(notice('file_not_read', unread));
      continue;
    }
    texts.push(...found.texts);
    notices.push(...found.notices);
    chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  }
  const left = paths.length - at;
  if (left > 0) notices.push(notice('expert_files_left_out', { count: left, total: paths.length }));
  return { texts, notices };
}

/** Throws for who has left, and for nothing else. */
async function tryRead(
  paths: readonly string[],
  workspace: Pick<Workspace, 'read'>,
  by: Reader,
): Promise<ReadTexts | CallError> {
  try {
    return await workspace.read(paths, 'relevant_files', by);
  } catch (thrown) {
    by.signal.throwIfAborted();
    return CallError.from(thrown);
  }
}
