import type { CallError } from '#core/errors/call-error.ts';
import type { ChatPart, MediaSource } from '#core/llm/chat.ts';
import { isUrl } from '#core/net/is-url.ts';
import { isTextMediaType } from '#core/text/text-media-type.ts';
import { fieldError } from './fields.ts';

export type GatewayMediaKind = Exclude<ChatPart['type'], 'text'>;

export const MEDIA_NOUNS: Record<GatewayMediaKind, string> = {
  image: 'picture',
  video: 'video',
  file: 'document',
};

/** Longer than any working URL. */
const MAX_URL_CHARS = 8192;
const WEB = /^https?:\/\//i;

/** Reads an http or https URL. Whether it may be fetched is checked before the request. */
export function readWebUrl(value: string, kind: GatewayMediaKind, field: string): string {
  if (WEB.test(value) && value.length <= MAX_URL_CHARS && isUrl(value)) return value;
  const message = `The address of the ${MEDIA_NOUNS[kind]} is not a valid URL.`;
  throw fieldError(field, message, 'Send an http or https URL, or the bytes.');
}

/** Longer than any id of a file. */
const MAX_ID_CHARS = 200;

/** Reads the id of an uploaded file. Whether the caller has such a file is found out later. */
export function readFileIdSource(value: unknown, field: string): MediaSource {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS) {
    return { fileId: value };
  }
  throw fieldError(field, 'This is not the id of a file.', 'Upload the file at POST /v1/files.');
}

/** Longer than any media type. */
const MAX_TYPE_CHARS = 100;

/**
 * Whether a media type, in lower case, fits the kind of part. Documents may have any type;
 * providers check theirs.
 */
export function isMediaType(mediaType: string, kind: GatewayMediaKind): boolean {
  if (mediaType.length > MAX_TYPE_CHARS) return false;
  return kind === 'file' ? mediaType.includes('/') : mediaType.startsWith(`${kind}/`);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a document with a text type, as all models read text and few read documents;
 * undefined for other types.
 */
export function readDocumentText(source: MediaSource, field: string): string | undefined {
  if (!('base64' in source) || !isTextMediaType(source.mediaType)) return undefined;
  const bytes = Buffer.from(source.base64, 'base64');
  if (bytes.length !== decodedBytes(source.base64)) throw invalidBase64(source.base64, field);
  const text = decode(bytes);
  if (text !== undefined && text !== '') return text;
  const message =
    text === ''
      ? 'The document has no bytes.'
      : 'The document is declared as text but is not UTF-8.';
  throw fieldError(field, message, 'Send the base64 of a text in UTF-8, or its true media type.');
}

/** How many bytes a valid base64 has; the decoder leaves out what is not base64. */
function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor(((base64.length - padding) * 3) / 4);
}

function invalidBase64(base64: string, field: string): CallError {
  const at = base64.search(/[^A-Za-z0-9+/]/) + 1;
  const message = `The base64 of the document is invalid at position ${at}.`;
  return fieldError(field, message, 'Send base64 (RFC 4648) without line breaks.');
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    // Not UTF-8; the caller reports it.
    return undefined;
  }
}
