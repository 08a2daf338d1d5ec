import { isObject, type Dictionary } from '../is-object.ts';
import { checkImage } from './check-image.ts';
import type { GlmError } from './errors.ts';
import type { GlmModel } from './models.ts';

const MAX_FILES = 50;
const VIDEO = /\.(mp4|mkv|mov)(\?|$)/i;
const DOCUMENT = /\.(pdf|txt|docx?|jsonl|xlsx?|pptx?)(\?|$)/i;

/** The parts of messages: what each model reads, how much of it, and what goes with what. */
export function checkMedia(messages: readonly Dictionary[], model: GlmModel): GlmError | undefined {
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    const parts: readonly unknown[] = content;
    if (!parts.every(isObject)) return { code: '1214', about: 'messages.content' };
    const error = checkParts(parts, model);
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkParts(parts: readonly Dictionary[], model: GlmModel): GlmError | undefined {
  const count = (type: string): number => parts.filter((part) => part['type'] === type).length;
  const images = count('image_url');
  const videos = count('video_url');
  const files = count('file_url');
  if (images + videos + files > 0 && model.images === 0)
    return {
      code: '1210',
      detail: `${model.id} reads text only: messages.content.type must be text.`,
    };
  if (files > 0 && images + videos > 0)
    return { code: '1215', about: 'file_url and image_url or video_url' };
  if (images > model.images)
    return { code: '1210', detail: `${model.id} takes at most ${model.images} images.` };
  if (files > MAX_FILES) return { code: '1210', detail: `At most ${MAX_FILES} files are allowed.` };
  if (model.id === 'glm-4v-plus' && videos > 0 && parts[0]?.['type'] !== 'video_url')
    return { code: '1210', detail: 'video_url must be the first part.' };
  for (const part of parts) {
    const error = checkPart(part, model);
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkPart(part: Dictionary, model: GlmModel): GlmError | undefined {
  switch (part['type']) {
    case 'text':
      if (typeof part['text'] !== 'string') return { code: '1214', about: 'messages.content.text' };
      return part['text'] === '' ? { code: '1213', about: 'messages.content.text' } : undefined;
    case 'image_url':
      return checkImage(urlOf(part), model);
    case 'video_url':
      return checkUrl(urlOf(part), 'video_url', VIDEO, 'data');
    case 'file_url':
      return checkUrl(urlOf(part), 'file_url', DOCUMENT, 'no data');
    case 'input_audio':
      if (model.voice === true) return undefined;
      return { code: '1210', detail: `${model.id} does not hear: input_audio is for glm-4-voice.` };
    default:
      return { code: '1214', about: 'messages.content.type' };
  }
}

function urlOf(part: Dictionary): unknown {
  const holder = part[String(part['type'])];
  return isObject(holder) ? holder['url'] : undefined;
}

function checkUrl(
  url: unknown,
  field: string,
  ending: RegExp,
  inline: 'data' | 'no data',
): GlmError | undefined {
  if (typeof url !== 'string' || url === '') return { code: '1213', about: `${field}.url` };
  if (url.startsWith('data:')) {
    if (inline === 'data' && /^data:video\/(mp4|x-matroska|quicktime);base64,/.test(url))
      return undefined;
    return { code: '1214', about: `${field}.url` };
  }
  if (!/^https?:\/\/\S+$/.test(url) || !ending.test(url))
    return { code: '1214', about: `${field}.url` };
  return undefined;
}
