import type { AskText } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';
import type { Reader, ReadTexts, Workspace } from '#core/workspace.ts';

const MAX_PATHS = 100;
const MAX_CHARS = 8_000_000;
const MAX_SHOWN_CHARS = 200;

/** What may become of a file between two questions; everything else is no matter of the file. */
const NO_LONGER: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'not_found',
  'permission',
  'too_large',
  'validation',
]);

/**
 * What was named earlier in a conversation, as it is now, newest first. One that is gone is told and no reason to fail; what would be
 * too much together is left out, oldest first.
 */
export async function readEarlier(
  paths: readonly string[],
  workspace: Pick<Workspace, 'read'>,
  by: Reader,
): Promise<ReadTexts> {
  const texts: AskText[] = [];
  const notices: Notice[] = [];
  let chars = 0;
  let at = 0;
  while (at < paths.length && at < MAX_PATHS && chars < MAX_CHARS) {
    const path = paths[at] ?? '';
    at += 1;
    const found = await readOne(path, workspace, by);
    texts.push(...found.texts);
    notices.push(...found.notices);
    chars += found.texts.reduce((sum, { text }) => sum + text.length, 0);
  }
  const left = paths.length - at;
  if (left > 0) notices.push(notice('earlier_files_left_out', { count: left }));
  return { texts, notices };
}

async function readOne(
  path: string,
  workspace: Pick<Workspace, 'read'>,
  by: Reader,
): Promise<ReadTexts> {
  try {
    return await workspace.read([path], 'files', by);
  } catch (thrown) {
    const error = CallError.from(thrown);
    if (!NO_LONGER.has(error.class)) throw thrown;
    const lost = { path: oneLine(path, MAX_SHOWN_CHARS), error: errorText(error) };
    return { texts: [], notices: [notice('earlier_file_lost', lost)] };
  }
}
