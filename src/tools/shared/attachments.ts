import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { AskText } from '#core/llm/ask.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import { oneLine } from '#core/text/text.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import type { WorkspaceReader, ReadTexts, Workspace } from '#core/workspace.ts';
import { dropAmbiguousPaths, resolveInRoot } from './attachment-paths.ts';
import { findClientRoots, ownership } from './client-roots.ts';

/** The `files` argument of a call: paths, and texts with their own names. */
interface FileArguments {
  readonly paths: readonly string[];
  readonly texts: readonly AskText[];
}

export function splitFileArguments(files: readonly (string | AskText)[] = []): FileArguments {
  return {
    paths: files.filter((each) => typeof each === 'string'),
    texts: files.flatMap((each) =>
      typeof each === 'string' ? [] : [{ ...each, name: attachmentName(each.name) }],
    ),
  };
}

const UNREAD =
  '(This file is only named here and was not read: its text stands in this place when the question is asked.)';

/** A placeholder for a named file whose content has not been read. */
export function unreadFile(path: string): AskText {
  return { name: path, text: UNREAD, isUnread: true };
}

export interface Attachments extends ReadTexts {
  /** Absolute paths of the files named in this call, so that later calls find them. */
  readonly paths: readonly string[];
}

/**
 * Loads the files of a question: those named or passed in this call, and those named earlier in its
 * conversation.
 */
export async function loadAttachments(
  { paths, texts: given }: FileArguments,
  earlier: readonly string[],
  workspace: Pick<Workspace, 'read'>,
  context: ToolContext,
): Promise<Attachments | InputRequired> {
  if (paths.length === 0 && earlier.length === 0) return { texts: given, notices: [], paths: [] };
  const found = findClientRoots(context);
  if ('inputRequests' in found) return found;
  const { roots } = found;
  const { signal, deadline, caller } = context;
  const by = { roots, signal, deadline, ...ownership(caller) };
  const named = paths.length === 0 ? NOTHING : await workspace.read(paths, 'files', by);

  const placed = (path: string) => resolveInRoot(path, roots);
  const now = new Set([...paths, ...named.texts.map(({ name }) => name)].map(placed));
  const isOld = (path: string) => !now.has(placed(path));
  const old = dropAmbiguousPaths(earlier.filter(isOld), roots);
  const before = await readEarlierFiles(old.paths, workspace, by);

  // Of two files with the same name the last counts, so those of this call come last.
  const texts: readonly AskText[] = [
    ...before.texts.filter(({ name }) => isOld(name)),
    ...named.texts,
    ...given,
  ];
  return {
    texts,
    notices: [...named.notices, ...old.notices, ...before.notices],
    paths: [...new Set(paths.map(placed))],
  };
}

const NOTHING: ReadTexts = { texts: [], notices: [] };

const MAX_PATHS = 100;
const MAX_CHARS = 8_000_000;
const MAX_SHOWN_CHARS = 200;

/** Errors that a file may cause between two questions; they do not fail the call. */
const NO_LONGER: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'not_found',
  'permission',
  'too_large',
  'validation',
]);

/**
 * Reads the files named earlier in a conversation as they are now, newest first. A file that can no
 * longer be read becomes a notice; beyond the limits the oldest files are left out.
 */
async function readEarlierFiles(
  paths: readonly string[],
  workspace: Pick<Workspace, 'read'>,
  by: WorkspaceReader,
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
  by: WorkspaceReader,
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
