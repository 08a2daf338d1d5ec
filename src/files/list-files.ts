import { relative, sep } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import type { FileLimits } from '#core/messages/file-notices.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import type { ListLimits, NamedFile } from '#core/workspace.ts';
import type { AllowedRoots } from './allowed-roots.ts';
import { findPath, type FoundPath } from './find-path.ts';
import { parsePathPattern, type PathPattern } from './glob.ts';
import {
  MAX_FILE_BYTES,
  MAX_FOLDER_DEPTH,
  MAX_MEDIA_BYTES,
  MAX_OPENED_ALL_BYTES,
  MAX_OPENED_FILE_BYTES,
  MAX_OPENED_FILES,
  MAX_TEXT_BYTES,
} from './limits.ts';
import { refuseSecretLink } from './named-file.ts';
import { openedTooLarge, openedTooMuch } from './open-files.ts';
import { createSkippedFiles, type SkippedFiles } from './skipped-files.ts';
import { quotePath } from './to-absolute.ts';
import { walkFolder } from './walk.ts';

/** A path, with the pattern that it is if no file has this name. */
interface Requested {
  readonly place: FoundPath;
  readonly pattern?: PathPattern;
}

/** What a call may hold of the files of folders and patterns. */
const FOLDER_LIMITS: Omit<FileLimits, 'openedFiles'> = {
  fileBytes: MAX_FILE_BYTES,
  totalBytes: MAX_TEXT_BYTES,
  mediaBytes: MAX_MEDIA_BYTES,
  folderDepth: MAX_FOLDER_DEPTH,
};

/**
 * Finds the files that paths, folders and patterns name. All are checked before anything is opened;
 * a file that is named twice counts once, and named files come before those of folders where the
 * limit is short.
 */
export async function listNamedFiles(
  paths: readonly string[],
  field: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
  limits?: ListLimits,
): Promise<readonly NamedFile[]> {
  if (paths.length > MAX_OPENED_FILES) throw tooMany(paths.length, field);
  const requested: Requested[] = [];
  const named = new Set<string>();
  let bytes = 0;
  for (const given of paths) {
    signal.throwIfAborted();
    const found = await findRequested(given, field, allowed);
    const { place } = found;
    requested.push(found);
    if (place.is === 'folder' || named.has(place.real)) continue;
    refuseSecretLink(place, field);
    if (place.bytes > MAX_OPENED_FILE_BYTES) throw openedTooLarge(given, field);
    bytes += place.bytes;
    if (!limits && bytes > MAX_OPENED_ALL_BYTES) throw openedTooMuch(given, field);
    named.add(place.real);
  }
  const maxFiles = limits?.maxFiles ?? MAX_OPENED_FILES;
  let room = maxFiles - named.size;
  const listed = new Map<string, NamedFile>();
  for (const [index, { place, pattern }] of requested.entries()) {
    const { real, name } = place;
    if (place.is === 'file') {
      if (!listed.has(real)) listed.set(real, { name: attachmentName(name), path: real, index });
      continue;
    }
    const leftOut = createSkippedFiles(pattern === undefined ? name : place.given, {
      ...FOLDER_LIMITS,
      openedFiles: maxFiles,
    });
    const found = await filesWithin({ place, pattern }, leftOut, field, allowed, signal);
    for (const file of found) {
      if (named.has(file.path) || listed.has(file.path)) continue;
      if (room === 0) file.within?.leftOut.add('too_many', file.name);
      else {
        room -= 1;
        listed.set(file.path, { ...file, index });
      }
    }
  }
  return [...listed.values()];
}

async function findRequested(
  given: string,
  field: string,
  allowed: AllowedRoots,
): Promise<Requested> {
  const pattern = parsePathPattern(given);
  if (pattern === undefined) return { place: await findPath(given, field, allowed) };
  try {
    return { place: await findPath(given, field, allowed) };
  } catch (thrown) {
    // No file has this name, so that it is a pattern.
    if (CallError.from(thrown).class !== 'not_found') throw thrown;
  }
  const base = await findPath(pattern.base, field, allowed);
  if (base.is !== 'folder') throw noMatch(given, field);
  return { place: { ...base, given }, pattern };
}

async function filesWithin(
  { place, pattern }: { readonly place: FoundPath; readonly pattern: PathPattern | undefined },
  leftOut: SkippedFiles,
  field: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
): Promise<readonly Omit<NamedFile, 'index'>[]> {
  // What a pattern does not match is not missing.
  const unmatched = createSkippedFiles(place.given);
  const found = await walkFolder(
    place,
    allowed,
    pattern === undefined ? leftOut : { ...unmatched, stop: () => leftOut.stop() },
    signal,
  );
  const is = pattern === undefined ? 'folder' : 'pattern';
  const files = found
    .filter(({ real }) => pattern?.matches(relative(place.real, real).split(sep).join('/')) ?? true)
    .map(({ real, name }): Omit<NamedFile, 'index'> => {
      return { name: attachmentName(name), path: real, within: { is, leftOut } };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (pattern !== undefined && files.length === 0) throw noMatch(place.given, field);
  return files;
}

function noMatch(given: string, field: string): CallError {
  return new CallError('not_found', `No file matches ${quotePath(given)}.`, {
    field,
    fix: 'Hidden files, and files that .gitignore leaves out, match no pattern; name them.',
  });
}

function tooMany(count: number, field: string): CallError {
  const message = `${field} names ${count} paths; at most ${MAX_OPENED_FILES} can be read at once.`;
  return new CallError('too_large', message, { field, fix: 'Name those that matter most.' });
}
