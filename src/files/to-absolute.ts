import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import type { AllowedRoots } from './allowed-roots.ts';
import { mapDrivePath } from './drive-mappings.ts';
import { MAX_PATH_CHARS } from './limits.ts';

const MAX_SHOWN_CHARS = 200;
const WINDOWS = /^(?:[a-z]:[\\/]|\\\\)/i;
const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

/** A path as shown in messages. */
export function quotePath(given: string): string {
  return JSON.stringify(truncatePath(given));
}

/** A path as parameter of a message. */
export function truncatePath(given: string): string {
  return oneLine(given, MAX_SHOWN_CHARS);
}

export function isFileUrl(given: string): boolean {
  return /^file:/i.test(given);
}

/** Makes a path absolute as its caller wrote it. Accesses no file. */
export function toAbsolute(given: string, field: string, allowed: AllowedRoots): string {
  const refuse = (why: string, fix: string) =>
    new CallError('validation', `${quotePath(given)} ${why}`, { field, fix });
  if (given.trim() === '') {
    throw new CallError('validation', `${field} holds an empty path.`, {
      field,
      fix: 'Name a file or a folder.',
    });
  }
  if (given.length > MAX_PATH_CHARS || given.includes('\0')) {
    throw refuse(
      'is not a valid path: it is too long or contains a NUL.',
      'Name a file or a folder.',
    );
  }
  const named = isFileUrl(given) ? fromUrl(given, refuse) : given;
  const mapped = process.platform === 'win32' ? undefined : mapDrivePath(named, allowed.drives);
  const path = mapped ?? named;
  if (process.platform === 'win32') {
    // A UNC path would contact another machine, and a second colon names an alternate data stream.
    if (/^[\\/]{2}/.test(path) || path.indexOf(':', 2) !== -1) {
      throw refuse('is not a path on a drive of this machine.', 'Name it as C:\\folder\\file.');
    }
  } else if (WINDOWS.test(path)) {
    throw refuse(
      'is a path of Windows, and EX-AI does not run on Windows here.',
      'Name it as this machine sees it, such as /home/you/project/file, or map its drive with files.driveMappings.',
    );
  }
  if (ADDRESS.test(path)) {
    throw refuse('is an address; here are files of this machine read.', 'Name a path.');
  }
  if (path === '~' || path.startsWith('~/')) {
    throw refuse('begins with ~, which is not expanded here.', 'Write the path in full.');
  }
  return resolve(allowed.roots[0], path);
}

function fromUrl(given: string, refuse: (why: string, fix: string) => CallError): string {
  try {
    const url = new URL(given);
    const path = fileURLToPath(url);
    if (url.search === '' && url.hash === '' && !path.includes('\0')) return path;
  } catch {
    // An invalid URL names no file of this machine.
  }
  throw refuse('names no file of this machine.', 'Write file:///path/to/file, or the path alone.');
}
