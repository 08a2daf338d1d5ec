import { formatMegabytes } from '#core/text/format.ts';
import type { AskText } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { ReadTexts } from '#core/workspace.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import { findPath, type FoundPath } from './find-path.ts';
import { openFaultError, refuseSecretLink } from './named-file.ts';
import type { AllowedRoots } from './allowed-roots.ts';
import { createSkippedFiles, type SkippedFiles } from './skipped-files.ts';
import { MAX_ALL_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_OPENED } from './limits.ts';
import { readTextInRoots, type ReadFault } from './read-text-in-roots.ts';
import { quotePath } from './to-absolute.ts';
import { walkFolder } from './walk.ts';

/** The remaining limits of a read. */
interface Room {
  files: number;
  bytes: number;
  opened: number;
}

/**
 * Reads files and folders. All paths are checked before anything is read; named files come before
 * folders when limits are short.
 */
export async function readFiles(
  paths: readonly string[],
  field: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
): Promise<ReadTexts> {
  const places = await findAll(paths, field, allowed, signal);
  const taken = new Map<string, AskText>();
  const room: Room = { files: MAX_FILES, bytes: MAX_ALL_BYTES, opened: MAX_OPENED };
  for (const place of places.filter(({ is }) => is === 'file')) {
    const file = await readTextInRoots(place.real, allowed, MAX_FILE_BYTES, signal);
    if (file.is !== 'text') throw faultOf(place, file.is, field);
    room.files--;
    room.bytes -= file.bytes;
    if (room.bytes < 0) throw tooMuch(place, field);
    taken.set(place.real, { name: attachmentName(place.name), text: file.text });
  }
  const texts: AskText[] = [];
  const notices: Notice[] = [];
  for (const place of places) {
    const own = taken.get(place.real);
    if (own !== undefined) texts.push(own);
    if (place.is === 'file') continue;
    const leftOut = createSkippedFiles(place.name);
    texts.push(...(await readFolder(place, allowed, room, leftOut, taken, signal)));
    notices.push(...leftOut.notices());
  }
  return { texts, notices };
}

async function findAll(
  paths: readonly string[],
  field: string,
  allowed: AllowedRoots,
  signal: AbortSignalLike,
): Promise<readonly FoundPath[]> {
  if (paths.length > MAX_FILES) {
    const message = `${field} names ${paths.length} paths; at most ${MAX_FILES} can be read at once.`;
    throw new CallError('too_large', message, { field, fix: 'Name those that matter most.' });
  }
  const places = new Map<string, FoundPath>();
  let bytes = 0;
  for (const given of paths) {
    signal.throwIfAborted();
    const place = await findPath(given, field, allowed);
    if (places.has(place.real)) continue;
    refuseSecretLink(place, field);
    if (place.bytes > MAX_FILE_BYTES) throw faultOf(place, 'too_large', field);
    bytes += place.bytes;
    if (bytes > MAX_ALL_BYTES) throw tooMuch(place, field);
    places.set(place.real, place);
  }
  return [...places.values()];
}

async function readFolder(
  place: FoundPath,
  allowed: AllowedRoots,
  room: Room,
  leftOut: SkippedFiles,
  taken: Map<string, AskText>,
  signal: AbortSignalLike,
): Promise<readonly AskText[]> {
  const texts: AskText[] = [];
  for (const { real, name } of await walkFolder(place, allowed, leftOut, signal)) {
    signal.throwIfAborted();
    if (taken.has(real)) continue;
    if (room.files === 0 || room.opened === 0) {
      leftOut.add('too_many', name);
      continue;
    }
    room.opened--;
    const maxBytes = Math.min(MAX_FILE_BYTES, room.bytes);
    const file = await readTextInRoots(real, allowed, maxBytes, signal);
    if (file.is === 'text') {
      room.files--;
      room.bytes -= file.bytes;
      const text = { name: attachmentName(name), text: file.text };
      taken.set(real, text);
      texts.push(text);
    } else if (file.is === 'too_large' && maxBytes < MAX_FILE_BYTES) leftOut.add('full', name);
    else leftOut.add(IN_FOLDER[file.is], name);
  }
  return texts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const IN_FOLDER = {
  no_text: 'no_text',
  too_large: 'too_large',
  special: 'special',
  denied: 'unread',
  gone: 'unread',
  changed: 'unread',
} as const satisfies Record<ReadFault, string>;

function faultOf(place: FoundPath, fault: ReadFault, field: string): CallError {
  const name = quotePath(place.given);
  switch (fault) {
    case 'no_text':
      return new CallError('validation', `${name} is not UTF-8 text.`, {
        field,
        fix: 'Name text files only; save a text in another encoding as UTF-8.',
      });
    case 'too_large': {
      const limit = formatMegabytes(MAX_FILE_BYTES);
      return new CallError('too_large', `${name} is over the limit of ${limit} for one file.`, {
        field,
        fix: 'Put the relevant part into a separate file.',
      });
    }
    case 'special':
    case 'denied':
    case 'changed':
    case 'gone':
      return openFaultError(place.given, fault, field);
  }
}

function tooMuch(place: FoundPath, field: string): CallError {
  const limit = formatMegabytes(MAX_ALL_BYTES);
  const message = `With ${quotePath(place.given)} the files are over the limit of ${limit} in all.`;
  return new CallError('too_large', message, { field, fix: 'Name fewer of them.' });
}
