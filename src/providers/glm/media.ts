import type { ChatMessage, MediaSource } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import { refuseMedia, toDataUrl, type MediaPart } from '../wire/media.ts';

const MB = 1024 * 1024;
const MAX_PARTS = 50;

interface InlineRule {
  readonly types: readonly string[];
  readonly maxBytes: number;
  readonly fix: string;
}

/** What may come as bytes; documents only by their address. */
const INLINE: Partial<Record<MediaPart['type'], InlineRule>> = {
  image: {
    types: ['image/jpeg', 'image/jpg', 'image/png'],
    maxBytes: 5 * MB,
    fix: 'Send a JPEG or PNG of up to 5 MB and 6000 x 6000 pixels, or its URL.',
  },
  video: {
    types: ['video/mp4', 'video/x-matroska', 'video/quicktime'],
    maxBytes: 8 * MB,
    fix: 'Send an MP4, MKV or MOV of up to 8 MB, or the URL of one of up to 200 MB.',
  },
};

/** Refuses what the vendor would: by kind, size and company. */
export function checkMedia(messages: readonly ChatMessage[]): void {
  for (const [index, { content }] of messages.entries()) {
    if (typeof content === 'string') continue;
    const field = `messages[${index}].content`;
    const count = (type: MediaPart['type']) => content.filter((part) => part.type === type).length;
    const [images, videos, files] = [count('image'), count('video'), count('file')];
    if (files > 0 && images + videos > 0) {
      const fix = 'Put them into two messages.';
      throw refuseMedia(field, 'GLM takes no documents beside pictures or videos.', fix);
    }
    if (Math.max(images, videos, files) > MAX_PARTS)
      throw refuseMedia(field, `GLM takes ${MAX_PARTS} of a kind at most.`, 'Send fewer of them.');
    for (const [at, part] of content.entries())
      if (part.type !== 'text') checkPart(part, `${field}[${at}]`);
  }
}

function checkPart({ type, source }: MediaPart, field: string): void {
  const rule = INLINE[type];
  if ('fileId' in source) {
    const fix = rule?.fix ?? 'Send the URL of the document, or its text.';
    throw refuseMedia(field, 'GLM takes no file ids within a chat.', fix);
  }
  const inline = inlineOf(source);
  if (!inline) {
    if ('url' in source && /^https?:$/.test(protocolOf(source.url))) return;
    throw refuseMedia(field, 'This is no http or https URL.', 'Send a URL that GLM can reach.');
  }
  if (!rule) {
    const fix = 'Send the URL of the document, or its text.';
    throw refuseMedia(field, 'GLM takes documents only by their URL.', fix);
  }
  if (!rule.types.includes(inline.mediaType) || inline.bytes === 0 || inline.bytes > rule.maxBytes)
    throw refuseMedia(field, `GLM cannot take this ${type}.`, rule.fix);
}

function inlineOf(source: Exclude<MediaSource, { fileId: string }>) {
  if ('base64' in source)
    return { mediaType: source.mediaType.toLowerCase(), bytes: byteLength(source.base64.length) };
  if (!/^data:/i.test(source.url)) return undefined;
  const head = /^data:([^;,]{1,100});base64,/i.exec(source.url.slice(0, 200));
  return {
    mediaType: head?.[1]?.toLowerCase() ?? '',
    bytes: byteLength(source.url.length - (head?.[0].length ?? 0)),
  };
}

/** Of base64, to within two bytes. */
function byteLength(chars: number): number {
  return Math.floor((chars * 3) / 4);
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

/** Bytes go as a `data:` URL, as the vendor's own programs send them; the bare base64 that it also takes has no media type. */
export function writePart({ type, source }: MediaPart): JsonObject {
  const name = `${type}_url`;
  const url = 'base64' in source ? toDataUrl(source) : 'url' in source ? source.url : source.fileId;
  return { type: name, [name]: { url } };
}
