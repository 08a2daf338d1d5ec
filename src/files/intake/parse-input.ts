import { CallError } from '#core/errors/call-error.ts';
import { fileIdOf, type FileInput } from '#core/files/file-input.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { MAX_INLINE_BYTES } from '../limits.ts';
import { isFileUrl } from '../to-absolute.ts';
import { decodeStrictBase64 } from './decode-base64.ts';
import { fileName, nameOfContent, shownName } from './file-names.ts';
import { sha256InSlices, type Pause } from './in-slices.ts';

/** An entry of `files` as what it is. */
export type ParsedInput =
  | { readonly is: 'path'; readonly path: string }
  | {
      readonly is: 'content';
      readonly name: string;
      readonly bytes: Buffer;
      readonly sha256: string;
      readonly contentType?: string;
      /** Where it came as a text. */
      readonly text?: string;
    }
  | { readonly is: 'stored'; readonly id: string }
  | { readonly is: 'resource'; readonly uri: string }
  /** A picture or video on the web. */
  | { readonly is: 'url'; readonly url: string };

/**
 * Reads one entry; decodes it in steps of a few milliseconds and opens nothing else. Rejects with
 * `validation` or `too_large`.
 */
export async function parseInput(
  input: FileInput,
  field: string,
  pause: Pause,
): Promise<ParsedInput> {
  if (typeof input === 'string') return parseText(input, field, pause);
  if ('file_id' in input) return { is: 'stored', id: fileIdOf(input.file_id) ?? input.file_id };
  if ('uri' in input) return parseResource(input, field, pause);
  if ('text' in input) {
    const { name, text } = input;
    return contentOf(Buffer.from(text), { field, pause, name, contentType: 'text/plain', text });
  }
  const { filename, content, mime_type: contentType } = input;
  const what = shownName(filename);
  requireRoom(Math.floor((content.length * 3) / 4) - 2, what, field);
  return contentOf(await decodeStrictBase64(content, what, field, pause), {
    field,
    pause,
    name: filename,
    ...(contentType !== undefined && { contentType }),
  });
}

async function parseText(text: string, field: string, pause: Pause): Promise<ParsedInput> {
  if (/^data:/i.test(text)) return parseDataUrl(text, field, pause);
  const id = fileIdOf(text);
  if (id !== undefined) return { is: 'stored', id };
  if (/^exai:\/\//i.test(text)) return { is: 'resource', uri: text };
  if (/^https?:\/\//i.test(text)) return { is: 'url', url: text };
  return { is: 'path', path: text };
}

type ResourceInput = Extract<FileInput, { readonly uri: string }>;

/** A resource by its URI, or embedded with its content as MCP embeds it. */
async function parseResource(
  input: ResourceInput,
  field: string,
  pause: Pause,
): Promise<ParsedInput> {
  const { uri, name = lastPart(uri), blob, text, mimeType } = input;
  const declared = mimeType === undefined ? {} : { contentType: mimeType };
  if (blob !== undefined) {
    requireRoom(Math.floor((blob.length * 3) / 4) - 2, shownName(name), field);
    const bytes = await decodeStrictBase64(blob, shownName(name), field, pause);
    return contentOf(bytes, { field, pause, name, ...declared });
  }
  if (text !== undefined) {
    return contentOf(Buffer.from(text), { field, pause, name, contentType: 'text/plain', text });
  }
  if (isFileUrl(uri)) return { is: 'path', path: uri };
  return parseText(uri, field, pause);
}

function lastPart(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? '';
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    // Not encoded.
    return last;
  }
}

const HEAD_CHARS = 4_096;
const HEAD = /^data:([^;,]*)((?:;[^;,]*)*),/i;

async function parseDataUrl(url: string, field: string, pause: Pause): Promise<ParsedInput> {
  const [head, type = '', parameters = ''] = HEAD.exec(url.slice(0, HEAD_CHARS)) ?? [];
  if (head === undefined) {
    throw new CallError('validation', 'A data URL has no comma before its data.', {
      field,
      fix: 'Write data:application/pdf;base64,… with the content after the comma.',
    });
  }
  const list = parameters.split(';').map((each) => each.trim());
  const isBase64 = list.some((each) => each.toLowerCase() === 'base64');
  const name = parameterOf(list, 'name') ?? parameterOf(list, 'filename') ?? '';
  const data = url.slice(head.length);
  requireRoom(isBase64 ? Math.floor((data.length * 3) / 4) - 2 : 0, 'a data URL', field);
  const bytes = isBase64
    ? await decodeStrictBase64(data, 'a data URL', field, pause)
    : percentDecoded(data, field);
  const contentType = type.trim().toLowerCase();
  return contentOf(bytes, { field, pause, name, contentType: contentType || 'text/plain' });
}

function parameterOf(list: readonly string[], name: string): string | undefined {
  const found = list.find((each) => each.toLowerCase().startsWith(`${name}=`));
  if (found === undefined) return undefined;
  return lastPart(found.slice(name.length + 1).replaceAll('"', ''));
}

function percentDecoded(data: string, field: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    throw new CallError('validation', 'The text of a data URL is not percent-encoded UTF-8.', {
      field,
      fix: 'Encode the content as base64: data:text/plain;base64,…',
    });
  }
}

interface ContentFacts {
  readonly field: string;
  readonly pause: Pause;
  readonly name: string;
  readonly contentType?: string;
  readonly text?: string;
}

/** The entry for bytes that are there already. */
export async function contentOf(
  bytes: Buffer,
  { field, pause, name, contentType, text }: ContentFacts,
): Promise<Extract<ParsedInput, { is: 'content' }>> {
  requireRoom(bytes.length, shownName(name), field);
  const sha256 = await sha256InSlices(bytes, pause);
  const known = fileName(name);
  return {
    is: 'content',
    name: known === '' ? nameOfContent(sha256, contentType) : known,
    bytes,
    sha256,
    ...(contentType !== undefined && { contentType }),
    ...(text !== undefined && { text }),
  };
}

function requireRoom(bytes: number, what: string, field: string): void {
  if (bytes <= MAX_INLINE_BYTES) return;
  const limit = formatMegabytes(MAX_INLINE_BYTES);
  throw new CallError('too_large', `${what} is over the limit of ${limit} for content in a call.`, {
    field,
    fix: 'Name a larger file by its path, or upload it with POST /v1/files and give its file_id.',
  });
}
