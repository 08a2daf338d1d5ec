import type { MediaSource } from '#core/chat.ts';
import { isUrl } from '#core/is-url.ts';

const DATA = /^data:(image\/[\w.+-]{1,60});base64,/i;
/** The beginning of a data URL tells; what follows may have megabytes. */
const HEAD_CHARS = 100;
const MAX_URL_CHARS = 8_192;

/** A picture as callers name it: a data URL or an https address; nothing for everything else. */
export function imageSource(text: string): MediaSource | undefined {
  const [head, mediaType = ''] = DATA.exec(text.slice(0, HEAD_CHARS)) ?? [];
  if (head !== undefined) {
    const base64 = text.slice(head.length);
    return base64 === '' ? undefined : { mediaType: mediaType.toLowerCase(), base64 };
  }
  const isAddress = text.length <= MAX_URL_CHARS && /^https:\/\/\S+$/i.test(text);
  return isAddress && isUrl(text) ? { url: text } : undefined;
}
