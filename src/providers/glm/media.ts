import type { ChatMessage } from '#core/llm/chat.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { JsonObject } from '#core/json/json.ts';
import { fitsRule, inlineOf, inlineRule } from '#models/inline-media.ts';
import { unsupportedInput } from '../openai-compatible/errors/vendor-error.ts';
import { refuseMedia, toDataUrl, type MediaPart } from '../openai-compatible/request/media.ts';

const MAX_PARTS = 50;

/** Refuses media that GLM would refuse: by kind, size and combination. */
export function checkMedia(messages: readonly ChatMessage[]): void {
  for (const [index, { content }] of messages.entries()) {
    if (typeof content === 'string') continue;
    const field = `messages[${index}].content`;
    const count = (type: MediaPart['type']) => content.filter((part) => part.type === type).length;
    const [images, videos, files] = [count('image'), count('video'), count('file')];
    if (files > 0 && images + videos > 0) {
      const fix = 'Put them into two messages.';
      throw unsupportedInput(field, 'GLM takes no documents beside pictures or videos.', fix);
    }
    if (Math.max(images, videos, files) > MAX_PARTS)
      throw unsupportedInput(
        field,
        `GLM takes ${MAX_PARTS} of a kind at most.`,
        'Send fewer of them.',
      );
    for (const [at, part] of content.entries())
      if (part.type !== 'text') checkPart(part, `${field}[${at}]`);
  }
}

function checkPart({ type, source }: MediaPart, field: string): void {
  const rule = inlineRule('glm', type);
  if ('fileId' in source) {
    const fix = rule?.fix ?? 'Send its URL.';
    throw unsupportedInput(field, 'GLM takes no file ids within a chat.', fix);
  }
  const inline = inlineOf(source);
  if (!inline) {
    if ('url' in source && /^https?:$/.test(protocolOf(source.url))) return;
    throw refuseMedia(field, 'This is not an http or https URL.', 'Send a URL that GLM can reach.');
  }
  if (inline.bytes === 0 || inline.mediaType === '') {
    throw refuseMedia(field, 'There are no bytes of a known type.', 'Send base64 with its type.');
  }
  if (!rule || fitsRule(rule, inline)) return;
  throw unsupportedInput(field, `GLM takes ${rule.takes}.`, rule.fix);
}

function protocolOf(url: string): string {
  return isUrl(url) ? new URL(url).protocol : '';
}

/** Writes media as a `data:` URL, as GLM's own SDK does; bare base64 has no media type. */
export function writePart({ type, source }: MediaPart): JsonObject {
  const name = `${type}_url`;
  const url = 'base64' in source ? toDataUrl(source) : 'url' in source ? source.url : source.fileId;
  return { type: name, [name]: { url } };
}
