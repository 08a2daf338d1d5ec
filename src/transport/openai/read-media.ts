import type { ChatPart, MediaSource } from '#core/chat.ts';
import { refuse } from './field.ts';

export type MediaKind = Exclude<ChatPart['type'], 'text'>;

/** No address that works is longer. */
const MAX_URL_CHARS = 8192;
/** Within these a data URL has said what it is. */
const MAX_DATA_HEAD_CHARS = 256;

const WORDS: Record<MediaKind, string> = { image: 'picture', video: 'video', file: 'document' };

/** An address, or the bytes themselves in a data URL. The bytes are looked at by whoever is asked. */
export function readMedia(given: unknown, kind: MediaKind, field: string): MediaSource {
  if (typeof given !== 'string') {
    throw refuse(field, `The address of the ${WORDS[kind]} must be a text.`, FIX);
  }
  const scheme = given.slice(0, 8).toLowerCase();
  if (scheme.startsWith('data:')) return readDataUrl(given, kind, field);
  if (!scheme.startsWith('https://') && !scheme.startsWith('http://')) {
    throw refuse(field, `The address of the ${WORDS[kind]} is no http, https or data URL.`, FIX);
  }
  if (given.length > MAX_URL_CHARS || !URL.canParse(given)) {
    const message = `The address of the ${WORDS[kind]} is no URL that could be asked for.`;
    throw refuse(field, message, FIX);
  }
  return { url: given };
}

const FIX = 'Send an http or https URL, or data:<media type>;base64,<bytes>.';

function readDataUrl(url: string, kind: MediaKind, field: string): MediaSource {
  const comma = url.slice(0, MAX_DATA_HEAD_CHARS).indexOf(',');
  const head = comma === -1 ? '' : url.slice('data:'.length, comma).toLowerCase();
  if (!head.endsWith(';base64') || comma + 1 === url.length) {
    throw refuse(field, `The data URL of the ${WORDS[kind]} holds no base64.`, FIX);
  }
  const mediaType = head.slice(0, head.indexOf(';')).trim();
  const isOfKind = kind === 'file' ? mediaType.includes('/') : mediaType.startsWith(`${kind}/`);
  if (!isOfKind) {
    const fix =
      kind === 'file'
        ? 'Say what it is: data:application/pdf;base64,….'
        : `Say what it is: data:${kind}/…;base64,…. Documents go into a part of type file.`;
    throw refuse(field, `The data URL says nothing of a ${WORDS[kind]}.`, fix);
  }
  return { base64: url.slice(comma + 1), mediaType };
}
