import { inMegabytes } from '#core/in-megabytes.ts';
import { basename } from 'node:path';
import type { AskText } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Cancel } from '#core/http.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { ReadTexts } from '#core/workspace.ts';
import { materialName } from '#core/material-name.ts';
import { fix } from '#core/messages/fixes.ts';
import { denied, find, notAFile, type Place } from './find.ts';
import type { Area } from './area.ts';
import { createLeftOut, type LeftOut } from './left-out.ts';
import { MAX_ALL_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_OPENED } from './limits.ts';
import { readText, type Fault } from './read-text.ts';
import { mayHoldSecrets } from '#core/secret-files.ts';
import { shown } from './to-absolute.ts';
import { walk } from './walk.ts';

/** What can still be read. */
interface Room {
  files: number;
  bytes: number;
  opened: number;
}

/** Everything is judged before anything is read. What was named itself comes first where room is scarce. */
export async function readFiles(
  paths: readonly string[],
  field: string,
  area: Area,
  signal: Cancel,
): Promise<ReadTexts> {
  const places = await findAll(paths, field, area, signal);
  const taken = new Map<string, AskText>();
  const room: Room = { files: MAX_FILES, bytes: MAX_ALL_BYTES, opened: MAX_OPENED };
  for (const place of places.filter(({ is }) => is === 'file')) {
    const file = await readText(place.real, area, MAX_FILE_BYTES, signal);
    if (file.is !== 'text') throw faultOf(place, file.is, field);
    room.files--;
    room.bytes -= file.bytes;
    if (room.bytes < 0) throw tooMuch(place, field);
    taken.set(place.real, { name: materialName(place.name), text: file.text });
  }
  const texts: AskText[] = [];
  const notices: Notice[] = [];
  for (const place of places) {
    const own = taken.get(place.real);
    if (own !== undefined) texts.push(own);
    if (place.is === 'file') continue;
    const leftOut = createLeftOut(place.name);
    texts.push(...(await readFolder(place, area, room, leftOut, taken, signal)));
    notices.push(...leftOut.notices());
  }
  return { texts, notices };
}

async function findAll(
  paths: readonly string[],
  field: string,
  area: Area,
  signal: Cancel,
): Promise<readonly Place[]> {
  if (paths.length > MAX_FILES) {
    const message = `${field} names ${paths.length} paths; at most ${MAX_FILES} can be read at once.`;
    throw new CallError('too_large', message, { field, fix: 'Name those that matter most.' });
  }
  const places = new Map<string, Place>();
  let bytes = 0;
  for (const given of paths) {
    signal.throwIfAborted();
    const place = await find(given, field, area);
    if (places.has(place.real)) continue;
    checkName(place, field);
    if (place.bytes > MAX_FILE_BYTES) throw faultOf(place, 'too_large', field);
    bytes += place.bytes;
    if (bytes > MAX_ALL_BYTES) throw tooMuch(place, field);
    places.set(place.real, place);
  }
  return [...places.values()];
}

/** A link with a harmless name is not the way to a key. */
function checkName({ given, name: path, real, is }: Place, field: string): void {
  const name = basename(real);
  if (is === 'folder' || !mayHoldSecrets(name)) return;
  // The system may write a name in another case than it was asked for.
  if (basename(path).toLowerCase() === name.toLowerCase()) return;
  const message = `${shown(given)} is a link to a file that may hold secrets.`;
  throw new CallError('permission', message, { field, fix: 'Name that file itself.' });
}

async function readFolder(
  place: Place,
  area: Area,
  room: Room,
  leftOut: LeftOut,
  taken: Map<string, AskText>,
  signal: Cancel,
): Promise<readonly AskText[]> {
  const texts: AskText[] = [];
  for (const { real, name } of await walk(place, area, leftOut, signal)) {
    signal.throwIfAborted();
    if (taken.has(real)) continue;
    if (room.files === 0 || room.opened === 0) {
      leftOut.add('too_many', name);
      continue;
    }
    room.opened--;
    const maxBytes = Math.min(MAX_FILE_BYTES, room.bytes);
    const file = await readText(real, area, maxBytes, signal);
    if (file.is === 'text') {
      room.files--;
      room.bytes -= file.bytes;
      const text = { name: materialName(name), text: file.text };
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
} as const satisfies Record<Fault, string>;

function faultOf(place: Place, fault: Fault, field: string): CallError {
  const name = shown(place.given);
  switch (fault) {
    case 'no_text':
      return new CallError('validation', `${name} is no UTF-8 text.`, {
        field,
        fix: 'Name text files only; save a text in another encoding as UTF-8.',
      });
    case 'too_large': {
      const limit = inMegabytes(MAX_FILE_BYTES);
      return new CallError('too_large', `${name} is over the limit of ${limit} for one file.`, {
        field,
        fix: 'Put the part that matters into a file of its own.',
      });
    }
    case 'special':
      return notAFile(place.given, field);
    case 'denied':
      return denied(place.given, field);
    case 'changed':
    case 'gone': {
      const what = fault === 'gone' ? 'went away' : 'was replaced';
      return new CallError('conflict', `${name} ${what} while it was read.`, {
        field,
        fixes: [fix('retry')],
      });
    }
  }
}

function tooMuch(place: Place, field: string): CallError {
  const limit = inMegabytes(MAX_ALL_BYTES);
  const message = `With ${shown(place.given)} the files are over the limit of ${limit} in all.`;
  return new CallError('too_large', message, { field, fix: 'Name fewer of them.' });
}
