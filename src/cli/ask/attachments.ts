import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { fileUri } from '#core/files/file-input.ts';
import { isId } from '#core/ids.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { oneLine } from '#core/text/text.ts';
import { mayHoldSecrets } from '#core/secrets/secret-files.ts';
import { MAX_INLINE_BYTES, MAX_OPENED_FILES } from '#files/limits.ts';
import { MAX_MESSAGE_BYTES, messageTooLarge } from './ask-args.ts';
import { expandPattern, type AttachmentField } from './expand-pattern.ts';
import { kindOfBytes } from './file-kind.ts';

export interface AttachmentOptions {
  /** `--file` */
  readonly file?: readonly string[];
  /** `--image` */
  readonly image?: readonly string[];
}

export interface AskAttachments {
  /** Paths for the daemon, stored files, and the contents of files that it may not read. */
  readonly files: readonly AttachedFile[];
  /** Contents, stored files, data URLs and web addresses. */
  readonly images: readonly AttachedFile[];
  /** What standard input is; `text`: a file, or the question if there is none. */
  readonly stdin: 'text' | 'file' | 'image';
}

/** A path, or a file as content. */
export type AttachedFile =
  | string
  | {
      readonly filename: string;
      /** Base64 */
      readonly content: string;
      readonly mime_type?: string;
    };

export interface AttachmentFolders {
  readonly cwd: string;
  /** The home folder of the user, in which the daemon reads no files by their paths. */
  readonly userFolder?: string;
  /** The folder of EX-AI, whose files the daemon refuses. */
  readonly exaiHome?: string;
}

const STDIN = '-';
/** The name of a piped file, by which the question can refer to it. */
const STDIN_NAME = 'stdin';
/** Base64 takes four bytes for three. */
const MAX_IMAGE_BYTES = Math.floor((MAX_MESSAGE_BYTES * 3) / 4);
const IMAGE_KINDS = 'PNG, JPEG, WebP, GIF, BMP or TIFF';

/** Reads what the options name; throws for what cannot be attached. */
export function readAttachments(
  { file = [], image = [] }: AttachmentOptions,
  folders: AttachmentFolders,
): AskAttachments {
  const { cwd } = folders;
  const fromStdin = [...file, ...image].filter((name) => name === STDIN).length;
  if (fromStdin > 1) {
    throw new CallError('bad_request', 'Standard input can be attached only once.', {
      field: image.includes(STDIN) ? '--image' : '--file',
      fix: 'Give "-" once.',
    });
  }
  const withinMessage = createMessageLimit();
  const files = expandAll(file, cwd, '--file').map((path) =>
    withinMessage(storedFile(path, cwd) ?? toAttachedFile(path, folders)),
  );
  const images = expandAll(image, cwd, '--image').map((path) =>
    withinMessage(
      isUrl(path) ? path : (storedFile(path, cwd) ?? toAttachedImage(readImage(path, cwd), path)),
    ),
  );
  const stdin = image.includes(STDIN) ? 'image' : file.includes(STDIN) ? 'file' : 'text';
  return { files, images, stdin };
}

/** Refuses the first content that is too much for one message, before more are read. */
function createMessageLimit() {
  let room = MAX_MESSAGE_BYTES;
  return (file: AttachedFile): AttachedFile => {
    if (typeof file !== 'string') room -= file.content.length;
    if (room < 0) throw messageTooLarge();
    return file;
  };
}

/** The address of a stored file that is named by its id, unless a file has this name. */
function storedFile(name: string, cwd: string): string | undefined {
  return isId(name, 'file') && !existsSync(resolve(cwd, name)) ? fileUri(name) : undefined;
}

/** A web address, or a content in the form of one. */
function isUrl(name: string): boolean {
  return /^(?:https?:\/\/|data:)/i.test(name.slice(0, 8));
}

/** The files that the values of an option name, each once. */
function expandAll(
  patterns: readonly string[],
  cwd: string,
  field: AttachmentField,
): readonly string[] {
  const named = patterns.filter((name) => name !== STDIN);
  const paths = new Set(
    named.flatMap((pattern) =>
      field === '--image' && isUrl(pattern) ? [pattern] : expandPattern(pattern, cwd, field),
    ),
  );
  if (paths.size <= MAX_OPENED_FILES) return [...paths];
  throw new CallError(
    'too_large',
    `${field} names ${paths.size} files; at most ${MAX_OPENED_FILES} can be attached.`,
    { field, fix: 'Name those that matter most.' },
  );
}

/** A picture that was piped in. */
export function stdinImage(bytes: Uint8Array): AttachedFile {
  if (bytes.length === 0) throw nothingPipedError('--image');
  return toAttachedImage(bytes, STDIN_NAME);
}

/** A document or picture that was piped in; undefined for a text. */
export function stdinDocument(bytes: Uint8Array): AttachedFile | undefined {
  if (isUtf8(bytes) && kindOfBytes(bytes).is === 'other') return undefined;
  return { filename: STDIN_NAME, content: Buffer.from(bytes).toString('base64') };
}

export function nothingPipedError(field: AttachmentField): CallError {
  return new CallError('bad_request', `${field} - reads standard input, and nothing is piped in.`, {
    field,
    fix: `Name a file, or pipe one in: … | exai ask ${field} - "…"`,
  });
}

/**
 * A path in the current folder is sent as it is: the daemon reads it again for later questions. A
 * file elsewhere is sent as content, because the daemon may not read it; what cannot be read here,
 * is too large, or belongs to EX-AI itself is left to the daemon.
 */
function toAttachedFile(
  path: string,
  { cwd, userFolder, exaiHome }: AttachmentFolders,
): AttachedFile {
  const file = resolve(cwd, path);
  const isTooWide = dirname(cwd) === cwd || (userFolder !== undefined && isInside(userFolder, cwd));
  const isNear = isInside(file, cwd) && !isTooWide;
  if (isNear || (exaiHome !== undefined && isInside(file, exaiHome))) return path;
  if (mayHoldSecrets(basename(file))) return path;
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size === 0 || found.size > MAX_INLINE_BYTES) return path;
    return { filename: path, content: readFileSync(file).toString('base64') };
  } catch {
    // Missing or not readable: the daemon says so, with the folders that it may read.
    return path;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function readImage(path: string, cwd: string): Uint8Array {
  const file = resolve(cwd, path);
  try {
    const found = statSync(file);
    if (!found.isFile()) {
      throw new CallError('validation', `${quoted(path)} is not a file.`, {
        field: '--image',
        fix: `Name a picture: ${IMAGE_KINDS}.`,
      });
    }
    if (found.size > MAX_IMAGE_BYTES) throw imageTooLargeError(path);
    return readFileSync(file);
  } catch (thrown) {
    throw CallError.from(thrown, { field: '--image' });
  }
}

/** With its name, so that the answer can refer to it. */
function toAttachedImage(bytes: Uint8Array, name: string): AttachedFile {
  const kind = kindOfBytes(bytes);
  if (kind.is === 'document') throw documentError(name, kind.name, '--image');
  if (kind.is === 'other') {
    throw new CallError(
      'validation',
      `${quoted(name)} is not a picture: its bytes are not ${IMAGE_KINDS}.`,
      {
        field: '--image',
        fix: 'Convert it to PNG or JPEG; attach texts with --file.',
      },
    );
  }
  if (bytes.length > MAX_IMAGE_BYTES) throw imageTooLargeError(name);
  const content = Buffer.from(bytes).toString('base64');
  return { filename: name, content, mime_type: kind.mediaType };
}

function imageTooLargeError(name: string): CallError {
  const limit = formatMegabytes(MAX_IMAGE_BYTES);
  return new CallError('too_large', `${quoted(name)} is over the limit of ${limit} for pictures.`, {
    field: '--image',
    fix: 'Make it smaller, or name it with --file in a folder that the daemon may read.',
  });
}

function documentError(name: string, kind: string, field: AttachmentField): CallError {
  return new CallError('validation', `${quoted(name)} is a document (${kind}), not a picture.`, {
    field,
    fix: `--file ${oneLine(name, 200)}`,
  });
}

function quoted(name: string): string {
  return `"${oneLine(name, 200)}"`;
}
