import type { ChatPart } from '#core/chat.ts';
import { isUrl } from '#core/is-url.ts';
import { fieldError } from './fields.ts';

export type MediaKind = Exclude<ChatPart['type'], 'text'>;

export const MEDIA_WORDS: Record<MediaKind, string> = {
  image: 'picture',
  video: 'video',
  file: 'document',
};

/** No address that works is longer. */
const MAX_URL_CHARS = 8192;
const WEB = /^https?:\/\//i;

/** An address that can be asked for. Whether it may be is for whoever asks. */
export function readWebUrl(value: string, kind: MediaKind, field: string): string {
  if (WEB.test(value) && value.length <= MAX_URL_CHARS && isUrl(value)) return value;
  const message = `The address of the ${MEDIA_WORDS[kind]} is no URL that could be asked for.`;
  throw fieldError(field, message, 'Send an http or https URL, or the bytes.');
}

/** No media type is longer. */
const MAX_TYPE_CHARS = 100;

/** `mediaType` in lower case. Documents may be of any type; who is asked knows which it reads. */
export function isMediaType(mediaType: string, kind: MediaKind): boolean {
  if (mediaType.length > MAX_TYPE_CHARS) return false;
  return kind === 'file' ? mediaType.includes('/') : mediaType.startsWith(`${kind}/`);
}
