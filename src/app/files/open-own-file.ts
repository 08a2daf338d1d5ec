import { realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { declaredFormats, mediaTypeOf } from '#extract/documents/format-names.ts';
import { matchSignature, NO_DOCUMENTS } from '#extract/documents/magic-numbers.ts';
import { openInside, type Opened } from '#files/open-inside.ts';

/** A file that the owner named on the command line, read as it is taken. */
export interface OwnFile {
  readonly name: string;
  readonly mime: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a regular file. `privateDir` is never read, as it contains keys. */
export async function openOwnFile(path: string, privateDir: string): Promise<OwnFile> {
  const shown = oneLine(path, 200);
  if (!isAbsolute(path)) {
    throw new CallError('validation', '`path` must be an absolute path.', { field: 'path' });
  }
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw openError('gone', shown);
  const folder = dirname(real);
  const closed = ['/proc', '/sys', await realpath(privateDir).catch(() => privateDir)];
  const opened = await openInside(real, {
    named: [folder],
    roots: [folder],
    closed,
    exempt: [],
    drives: [],
  });
  if (opened.is !== 'open') throw openError(opened.is, shown);
  const { handle } = opened;
  return {
    name: basename(path),
    mime: await mediaTypeIn(handle, path),
    chunks: handle.createReadStream({ autoClose: false, start: 0 }),
    close: () => handle.close(),
  };
}

const HEAD_BYTES = 4_096;

/** By the first bytes, then by the name. */
async function mediaTypeIn(handle: FileHandle, name: string): Promise<string> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  const found = matchSignature(head, NO_DOCUMENTS);
  if (found) return found.mediaType;
  const [declared] = declaredFormats({ name });
  const format = declared?.formats[0];
  if (format !== undefined) return mediaTypeOf(format, {});
  return isText(head) ? 'text/plain' : 'application/octet-stream';
}

function isText(head: Uint8Array): boolean {
  try {
    // The last character may be cut.
    return !new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }).includes('\0');
  } catch {
    return false;
  }
}

const PROBLEMS: Readonly<Record<Exclude<Opened['is'], 'open'>, string>> = {
  gone: 'does not exist',
  denied: 'cannot be read: the daemon has no permission',
  special: 'is not a regular file',
  changed: 'is not a file that may be read',
};

function openError(problem: Exclude<Opened['is'], 'open'>, shown: string): CallError {
  const errorClass =
    problem === 'gone' ? 'not_found' : problem === 'special' ? 'validation' : 'permission';
  return new CallError(errorClass, `${shown} ${PROBLEMS[problem]}.`, { field: 'path' });
}
