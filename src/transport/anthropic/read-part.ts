import type { ChatPart, MediaSource } from '#core/chat.ts';
import { isAbsent, readFields, readList, readText, refuse, type Fields } from './body-fields.ts';

const MAX_URL_CHARS = 8192;
const MAX_TYPE_CHARS = 100;
const WEB = /^https?:\/\/./i;

/** What a block of these types says; nothing for a block of another type. */
export function readPart(block: Fields, field: string): readonly ChatPart[] | undefined {
  switch (block['type']) {
    case 'text':
      return textPart(readText(block['text'], `${field}.text`));
    case 'image':
      return [{ type: 'image', source: readSource(block['source'], `${field}.source`, 'image/') }];
    case 'document':
      return readDocument(block, field);
    case 'search_result':
      return textPart(readSearchResult(block, field));
    default:
      return undefined;
  }
}

function textPart(text: string): readonly ChatPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function readDocument(block: Fields, field: string): readonly ChatPart[] {
  const source = readFields(block['source'], `${field}.source`);
  const about = [block['title'], block['context']]
    .filter((each) => typeof each === 'string' && each !== '')
    .join('\n');
  if (source['type'] === 'text') {
    const text = readText(source['data'], `${field}.source.data`);
    return textPart(about === '' ? text : `${about}\n\n${text}`);
  }
  const inside =
    source['type'] === 'content'
      ? readInside(source['content'], `${field}.source.content`)
      : [{ type: 'file' as const, source: readSource(source, `${field}.source`, '') }];
  return [...textPart(about), ...inside];
}

/** A document made of texts and pictures. */
function readInside(value: unknown, field: string): readonly ChatPart[] {
  if (typeof value === 'string') return textPart(value);
  return readList(value, field).flatMap((each, index) => {
    const at = `${field}[${index}]`;
    const block = readFields(each, at);
    const part = block['type'] === 'document' ? undefined : readPart(block, at);
    if (part) return part;
    throw refuse(`${at}.type`, 'A document holds blocks of the types "text" and "image".');
  });
}

function readSearchResult(block: Fields, field: string): string {
  const lines = [block['title'], block['source']].filter((each) => typeof each === 'string');
  const content = isAbsent(block['content']) ? [] : readList(block['content'], `${field}.content`);
  for (const [index, each] of content.entries()) {
    const at = `${field}.content[${index}]`;
    lines.push(readText(readFields(each, at)['text'], `${at}.text`));
  }
  return lines.join('\n');
}

function readSource(value: unknown, field: string, media: 'image/' | ''): MediaSource {
  const source = readFields(value, field);
  switch (source['type']) {
    case 'base64': {
      const mediaType = readText(source['media_type'], `${field}.media_type`);
      if (!mediaType.startsWith(media) || !mediaType.includes('/') || isTooLong(mediaType)) {
        const example = media === '' ? 'application/pdf' : 'image/png';
        throw refuse(`${field}.media_type`, `This must be a media type such as ${example}.`);
      }
      const base64 = readText(source['data'], `${field}.data`);
      if (base64 === '') throw refuse(`${field}.data`, 'There is no data.');
      return { base64, mediaType };
    }
    case 'url': {
      const url = readText(source['url'], `${field}.url`);
      if (WEB.test(url) && url.length <= MAX_URL_CHARS) return { url };
      throw refuse(`${field}.url`, 'This must be an address that begins with https://.');
    }
    case 'file':
      throw refuse(
        `${field}.type`,
        'Files cannot be uploaded here, so none can be named.',
        'Send what is in it with the type "base64", or its address with the type "url".',
      );
    default:
      throw refuse(`${field}.type`, 'This must be "base64" or "url".');
  }
}

function isTooLong(mediaType: string): boolean {
  return mediaType.length > MAX_TYPE_CHARS;
}
