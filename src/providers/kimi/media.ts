import type { ChatMessage, MediaSource } from '#core/chat.ts';
import type { Cancel } from '#core/http.ts';
import type { JsonObject } from '#core/json.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import { createMediaFetcher, unfetchedSource, type FetchRules } from '../wire/fetch-media.ts';
import {
  changeMedia,
  MEDIA_WORDS,
  refuseMedia,
  replaceMedia,
  toDataUrl,
  type MediaKind,
  type MediaPart,
} from '../wire/media.ts';

/** In Kimi's words. It takes bytes, or a file of its own; it fetches nothing. */
export function writeMedia({ type, source }: MediaPart): JsonObject {
  const name = type === 'video' ? 'video_url' : 'image_url';
  return { type: name, [name]: { url: urlOf(source) } };
}

function urlOf(source: MediaSource): string {
  if ('fileId' in source) return `ms://${source.fileId}`;
  return 'url' in source ? source.url : toDataUrl(source);
}

/** The messages with the bytes of every picture and video that is only an address. Nothing is fetched but from public places. */
export function inlineMedia(
  messages: readonly ChatMessage[],
  http: GuardedHttp<'public'>,
  signal: Cancel,
): Promise<readonly ChatMessage[]> {
  const fetcher = createMediaFetcher({ ...rulesOf(http), signal });
  return changeMedia(messages, async (part, field) => {
    const wanted = toBeFetched(part, field);
    if (!wanted) return part;
    const { url, kind } = wanted;
    return { type: kind, source: await fetcher.fetch(url, kind, field) };
  });
}

/** The messages as they would be sent, with a mark in place of the bytes that would be fetched. */
export function describeMedia(
  messages: readonly ChatMessage[],
  http: GuardedHttp<'public'>,
): readonly ChatMessage[] {
  return replaceMedia(messages, (part, field) => {
    const wanted = toBeFetched(part, field);
    if (!wanted) return part;
    const { url, kind } = wanted;
    return { type: kind, source: unfetchedSource(url, kind, field, rulesOf(http)) };
  });
}

function rulesOf(http: GuardedHttp<'public'>): FetchRules {
  return {
    http,
    tooLargeFix: (kind) =>
      `Upload it with the purpose "${kind}" and use the id of the file, or send a smaller one.`,
    outOfReach: 'validation',
  };
}

/** What is only an address; nothing for what goes as it is. What can do neither is refused. */
function toBeFetched(
  { type, source }: MediaPart,
  field: string,
): { readonly url: string; readonly kind: MediaKind } | undefined {
  if (type === 'file') return undefined;
  checkSource(source, type, field);
  if (!('url' in source) || !/^https?:/i.test(source.url)) return undefined;
  return { url: source.url, kind: type };
}

function checkSource(source: MediaSource, kind: MediaKind, field: string): void {
  if ('fileId' in source) {
    if (/^[\w.:-]{1,200}$/.test(source.fileId)) return;
    throw refuseMedia(
      field,
      'The id of the file is none of Kimi’s.',
      'Use the id that the upload gave.',
    );
  }
  const isData = 'url' in source && /^data:/i.test(source.url);
  if (!('url' in source) || isData) {
    const given = 'url' in source ? dataUrl(source.url) : source;
    if (given && given.base64 !== '' && given.mediaType.startsWith(`${kind}/`)) return;
    const fix = `Give base64 with a media type such as ${kind === 'image' ? 'image/png' : 'video/mp4'}.`;
    throw refuseMedia(field, `This is no ${MEDIA_WORDS[kind]} in base64.`, fix);
  }
  if (/^(?:https?|ms):\/\/./i.test(source.url)) return;
  const fix = 'Use https://, a data URL with base64, or the id of an uploaded file.';
  throw refuseMedia(field, `Kimi cannot take a ${MEDIA_WORDS[kind]} from such an address.`, fix);
}

function dataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const comma = url.indexOf(',');
  const [mediaType = '', ...words] = url.slice(5, comma).toLowerCase().split(';');
  if (comma === -1 || words.at(-1) !== 'base64') return undefined;
  return { mediaType, base64: url.slice(comma + 1, comma + 2) };
}
