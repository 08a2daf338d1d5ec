import type { MediaSource } from '#core/chat.ts';
import { fieldError } from '../gateway/fields.ts';
import { isMediaType, MEDIA_WORDS, readWebUrl, type MediaKind } from '../gateway/media.ts';

/** Within these a data URL has said what it is. */
const MAX_HEAD_CHARS = 256;
const DATA = 'data:';
const FIX = 'Send an http or https URL, or data:<media type>;base64,<bytes>.';

/** An address, or the bytes themselves in a data URL. The bytes are looked at by whoever is asked. */
export function readMedia(given: unknown, kind: MediaKind, field: string): MediaSource {
  if (typeof given !== 'string') {
    throw fieldError(field, `The address of the ${MEDIA_WORDS[kind]} must be a text.`, FIX);
  }
  const isData = given.slice(0, DATA.length).toLowerCase() === DATA;
  return isData ? readDataUrl(given, kind, field) : { url: readWebUrl(given, kind, field) };
}

function readDataUrl(url: string, kind: MediaKind, field: string): MediaSource {
  const comma = url.slice(0, MAX_HEAD_CHARS).indexOf(',');
  const head = comma === -1 ? '' : url.slice(DATA.length, comma).toLowerCase();
  if (!head.endsWith(';base64') || comma + 1 === url.length) {
    throw fieldError(field, `The data URL of the ${MEDIA_WORDS[kind]} holds no base64.`, FIX);
  }
  const mediaType = head.slice(0, head.indexOf(';')).trim();
  if (isMediaType(mediaType, kind)) return { base64: url.slice(comma + 1), mediaType };
  const fix =
    kind === 'file'
      ? 'Say what it is: data:application/pdf;base64,….'
      : `Say what it is: data:${kind}/…;base64,…. Documents go into a part of type file.`;
  throw fieldError(field, `The data URL says nothing of a ${MEDIA_WORDS[kind]}.`, fix);
}
