import { basename, resolve } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import type { FileIntake, IntakeContext, LoadedFiles } from '#core/files/file-intake.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { mayHoldSecrets } from '#core/secrets/secret-files.ts';
import { oneLine } from '#core/text/text.ts';

const MAX_PATHS = 300;
const MAX_CHARS = 20_000_000;
const MAX_SHOWN_CHARS = 200;

/**
 * Reads the relevant files as they are now. An unreadable file becomes a notice, because a wrong
 * path must not lose the caller's work.
 */
export async function readExpertFiles(
  paths: readonly string[],
  fileIntake: FileIntake,
  context: IntakeContext,
): Promise<LoadedFiles> {
  if (paths.length === 0) return { texts: [], media: [], notices: [], kept: [] };
  if (paths.length <= MAX_PATHS) {
    const all = await tryRead(paths, fileIntake, context);
    if (!(all instanceof CallError)) return all;
  }
  return readEach(paths, fileIntake, context);
}

async function readEach(
  paths: readonly string[],
  fileIntake: FileIntake,
  context: IntakeContext,
): Promise<LoadedFiles> {
  const read: LoadedFiles[] = [];
  const notices: Notice[] = [];
  let chars = 0;
  let at = 0;
  for (; at < Math.min(paths.length, MAX_PATHS) && chars < MAX_CHARS; at += 1) {
    const path = paths[at] ?? '';
    const found = await tryRead([path], fileIntake, context);
    if (found instanceof CallError) {
      const unread = { path: oneLine(path, MAX_SHOWN_CHARS), error: errorText(found) };
      notices.push(notice('file_not_read', unread));
      continue;
    }
    read.push(found);
    notices.push(...found.notices);
    chars += found.texts.reduce((sum, { text }) => sum + text.length, 0);
  }
  const left = paths.length - at;
  if (left > 0) notices.push(notice('expert_files_left_out', { count: left, total: paths.length }));
  return {
    texts: read.flatMap(({ texts }) => texts),
    media: read.flatMap(({ media }) => media),
    notices,
    kept: [],
  };
}

/** Throws only when the call was aborted. */
async function tryRead(
  paths: readonly string[],
  fileIntake: FileIntake,
  context: IntakeContext,
): Promise<LoadedFiles | CallError> {
  try {
    const loaded = await fileIntake.load(paths, { field: 'relevant_files' }, context);
    if (!('inputRequests' in loaded)) return loaded;
    return new CallError('internal', 'The roots are already known.');
  } catch (thrown) {
    context.signal.throwIfAborted();
    return CallError.from(thrown);
  }
}

const MAX_NAMED = 20;
const MAX_NAME_CHARS = 200;

interface RequestedFiles {
  readonly files: readonly string[];
  readonly notices: readonly Notice[];
}

/**
 * Of the files that an expert asks for, those that a caller may be told to send. A file it read may
 * have told it to ask for keys.
 */
export function requestedFiles(asked: readonly string[]): RequestedFiles {
  const secret = asked.filter(isSecret);
  if (secret.length === 0) return { files: asked, notices: [] };
  const names = secret.slice(0, MAX_NAMED).map((path) => oneLine(path, MAX_NAME_CHARS));
  return {
    files: asked.filter((path) => !isSecret(path)),
    notices: [notice('expert_wants_secrets', { files: names, more: secret.length - names.length })],
  };
}

/** Handles a trailing line number and file URLs. */
function isSecret(path: string): boolean {
  return [path, path.replace(/(?::\d{1,9}){1,2}$/, '')].some((each) => {
    const plain = /^file:/i.test(each) ? decoded(each) : each;
    const name = basename(resolve('/', plain.replaceAll('\\', '/')));
    return mayHoldSecrets(name.trim());
  });
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    // An invalid URL names no file.
    return url;
  }
}
