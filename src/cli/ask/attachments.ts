import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { oneLine } from '#core/text/text.ts';
import { MAX_FILES } from '#files/limits.ts';
import { MAX_MESSAGE_BYTES } from './ask-args.ts';
import { expandPattern, type AttachmentField } from './expand-pattern.ts';
import { kindOfBytes, HEAD_BYTES, type FileKind } from './file-kind.ts';

export interface AttachmentOptions {
  /** `--file` */
  readonly file?: readonly string[];
  /** `--image` */
  readonly image?: readonly string[];
}

export interface AskAttachments {
  /** Paths for the daemon, which reads them and refuses those that it may not read. */
  readonly paths: readonly string[];
  /** Data URLs. */
  readonly images: readonly string[];
  /** What standard input is; `text`: a file, or the question if there is none. */
  readonly stdin: 'text' | 'file' | 'image';
}

const STDIN = '-';
/** Base64 takes four bytes for three. */
const MAX_IMAGE_BYTES = Math.floor((MAX_MESSAGE_BYTES * 3) / 4);
const IMAGE_KINDS = 'PNG, JPEG, WebP or GIF';

/** Reads what the options name; throws for what cannot be attached. */
export function readAttachments(
  { file = [], image = [] }: AttachmentOptions,
  cwd: string,
): AskAttachments {
  const fromStdin = [...file, ...image].filter((name) => name === STDIN).length;
  if (fromStdin > 1) {
    throw new CallError('bad_request', 'Standard input can be attached only once.', {
      field: image.includes(STDIN) ? '--image' : '--file',
      fix: 'Give "-" once.',
    });
  }
  const paths = expandAll(file, cwd, '--file');
  for (const path of paths) requireTextFile(path, cwd);
  const images = expandAll(image, cwd, '--image').map((path) =>
    toDataUrl(readImage(path, cwd), path),
  );
  const stdin = image.includes(STDIN) ? 'image' : file.includes(STDIN) ? 'file' : 'text';
  return { paths, images, stdin };
}

/** The files that the values of an option name, each once. */
function expandAll(
  patterns: readonly string[],
  cwd: string,
  field: AttachmentField,
): readonly string[] {
  const named = patterns.filter((name) => name !== STDIN);
  const paths = new Set(named.flatMap((pattern) => expandPattern(pattern, cwd, field)));
  if (paths.size <= MAX_FILES) return [...paths];
  throw new CallError(
    'too_large',
    `${field} names ${paths.size} files; at most ${MAX_FILES} can be attached.`,
    { field, fix: 'Name those that matter most.' },
  );
}

/** The data URL of a picture that was piped in. */
export function stdinImage(bytes: Uint8Array): string {
  if (bytes.length === 0) throw nothingPipedError('--image');
  return toDataUrl(bytes, 'standard input');
}

export function nothingPipedError(field: AttachmentField): CallError {
  return new CallError('bad_request', `${field} - reads standard input, and nothing is piped in.`, {
    field,
    fix: `Name a file, or pipe one in: … | exai ask ${field} - "…"`,
  });
}

/** Refuses pictures and documents by their bytes. The daemon reports everything else. */
function requireTextFile(path: string, cwd: string): void {
  const kind = kindOfFile(resolve(cwd, path));
  if (kind.is === 'image') {
    throw new CallError('validation', `${quoted(path)} is a picture, not a text.`, {
      field: '--file',
      fix: `--image ${oneLine(path, 200)}`,
    });
  }
  if (kind.is === 'document') throw documentError(path, kind.name, '--file');
}

function kindOfFile(file: string): FileKind {
  try {
    // Opening a pipe would wait for its other end.
    if (!statSync(file).isFile()) return { is: 'other' };
    const fd = openSync(file, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return kindOfBytes(head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0)));
    } finally {
      closeSync(fd);
    }
  } catch {
    // Missing or not readable: the daemon says so, with the folders that it may read.
    return { is: 'other' };
  }
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

function toDataUrl(bytes: Uint8Array, name: string): string {
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
  return `data:${kind.mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}

function imageTooLargeError(name: string): CallError {
  const limit = formatMegabytes(MAX_IMAGE_BYTES);
  return new CallError('too_large', `${quoted(name)} is over the limit of ${limit} for pictures.`, {
    field: '--image',
    fix: 'Make it smaller; most models take up to 5 MB.',
  });
}

function documentError(name: string, kind: string, field: AttachmentField): CallError {
  return new CallError(
    'validation',
    `${quoted(name)} is a document (${kind}), and documents cannot be attached.`,
    { field, fix: 'Attach its text as a file, or pictures of its pages with --image.' },
  );
}

function quoted(name: string): string {
  return `"${oneLine(name, 200)}"`;
}
