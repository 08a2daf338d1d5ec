import type { ChatMessage, MediaSource } from '#core/llm/chat.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import {
  createMediaFetcher,
  describeUnfetchedSource,
  type MediaFetchRules,
} from '../openai-compatible/request/fetch-media.ts';
import {
  replaceMediaAsync,
  MEDIA_LABELS,
  refuseMedia,
  replaceMedia,
  toDataUrl,
  type FetchableMedia,
  type MediaPart,
} from '../openai-compatible/request/media.ts';

/** Writes media for Kimi, which takes bytes or its own uploaded files, but fetches nothing. */
export function writeMedia({ type, source }: MediaPart): JsonObject {
  const name = type === 'video' ? 'video_url' : 'image_url';
  return { type: name, [name]: { url: urlOf(source) } };
}

function urlOf(source: MediaSource): string {
  if ('fileId' in source) return `ms://${source.fileId}`;
  return 'url' in source ? source.url : toDataUrl(source);
}

/**
 * Fetches the pictures and videos that are given as addresses, from public addresses only, and puts
 * them inline.
 */
export function inlineMedia(
  messages: readonly ChatMessage[],
  http: GuardedHttp<'public'>,
  signal: AbortSignalLike,
): Promise<readonly ChatMessage[]> {
  const fetcher = createMediaFetcher({ ...rulesOf(http), signal });
  return replaceMediaAsync(messages, async (part, field) => {
    const toFetch = toBeFetched(part, field);
    if (!toFetch) return part;
    const { url, kind } = toFetch;
    return { type: kind, source: await fetcher.fetch(url, kind, field) };
  });
}

/** The messages as they would be sent, with a placeholder for the bytes that would be fetched. */
export function describeMedia(
  messages: readonly ChatMessage[],
  http: GuardedHttp<'public'>,
): readonly ChatMessage[] {
  return replaceMedia(messages, (part, field) => {
    const toFetch = toBeFetched(part, field);
    if (!toFetch) return part;
    const { url, kind } = toFetch;
    return { type: kind, source: describeUnfetchedSource(url, kind, field, rulesOf(http)) };
  });
}

function rulesOf(http: GuardedHttp<'public'>): MediaFetchRules {
  return {
    http,
    tooLargeFix: (kind) =>
      `Upload it with the purpose "${kind}" and use the id of the file, or send a smaller one.`,
    outOfReach: 'validation',
  };
}

/** The address to fetch; nothing for media that are sent as they are. Other sources are refused. */
function toBeFetched(
  { type, source }: MediaPart,
  field: string,
): { readonly url: string; readonly kind: FetchableMedia } | undefined {
  if (type === 'file') return undefined;
  checkSource(source, type, field);
  if (!('url' in source) || !/^https?:/i.test(source.url)) return undefined;
  return { url: source.url, kind: type };
}

function checkSource(source: MediaSource, kind: FetchableMedia, field: string): void {
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
    const inline = 'url' in source ? dataUrl(source.url) : source;
    if (inline && inline.base64 !== '' && inline.mediaType.startsWith(`${kind}/`)) return;
    const fix = `Give base64 with a media type such as ${kind === 'image' ? 'image/png' : 'video/mp4'}.`;
    throw refuseMedia(field, `This is not a base64 ${MEDIA_LABELS[kind]}.`, fix);
  }
  if (/^(?:https?|ms):\/\/./i.test(source.url)) return;
  const fix = 'Use https://, a data URL with base64, or the id of an uploaded file.';
  throw refuseMedia(field, `Kimi cannot take a ${MEDIA_LABELS[kind]} from such an address.`, fix);
}

function dataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const comma = url.indexOf(',');
  const [mediaType = '', ...parameters] = url.slice(5, comma).toLowerCase().split(';');
  if (comma === -1 || parameters.at(-1) !== 'base64') return undefined;
  return { mediaType, base64: url.slice(comma + 1, comma + 2) };
}
