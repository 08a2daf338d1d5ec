import type { ChatPart, MediaSource } from '#core/chat.ts';
import { documentText } from '../gateway/document-text.ts';
import {
  fieldError,
  isAbsent,
  readList,
  readObject,
  readText,
  type Fields,
} from '../gateway/fields.ts';
import { isMediaType, MEDIA_WORDS, readWebUrl, type MediaKind } from '../gateway/media.ts';

/** What a block of these types says; nothing for a block of another type. */
export function readPart(block: Fields, field: string): readonly ChatPart[] | undefined {
  switch (block['type']) {
    case 'text':
      return textPart(readText(block['text'], `${field}.text`));
    case 'image':
      return [{ type: 'image', source: readSource(block['source'], `${field}.source`, 'image') }];
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
  const source = readObject(block['source'], `${field}.source`);
  const about = [block['title'], block['context']]
    .filter((each) => typeof each === 'string' && each !== '')
    .join('\n');
  if (source['type'] === 'text') {
    const text = readText(source['data'], `${field}.source.data`);
    return textPart(under(about, text));
  }
  if (source['type'] === 'content') {
    return [...textPart(about), ...readInside(source['content'], `${field}.source.content`)];
  }
  const given = readSource(source, `${field}.source`, 'file');
  const text = documentText(given, `${field}.source.data`);
  if (text !== undefined) return textPart(under(about, text));
  return [...textPart(about), { type: 'file', source: given }];
}

function under(about: string, text: string): string {
  return about === '' ? text : `${about}\n\n${text}`;
}

/** A document made of texts and pictures. */
function readInside(value: unknown, field: string): readonly ChatPart[] {
  if (typeof value === 'string') return textPart(value);
  return readList(value, field).flatMap((each, index) => {
    const at = `${field}[${index}]`;
    const block = readObject(each, at);
    const part = block['type'] === 'document' ? undefined : readPart(block, at);
    if (part) return part;
    throw fieldError(
      `${at}.type`,
      'A document holds no such blocks.',
      'Send blocks of the types text and image.',
    );
  });
}

function readSearchResult(block: Fields, field: string): string {
  const lines = [block['title'], block['source']].filter((each) => typeof each === 'string');
  const content = isAbsent(block['content']) ? [] : readList(block['content'], `${field}.content`);
  for (const [index, each] of content.entries()) {
    const at = `${field}.content[${index}]`;
    lines.push(readText(readObject(each, at)['text'], `${at}.text`));
  }
  return lines.join('\n');
}

function readSource(value: unknown, field: string, kind: MediaKind): MediaSource {
  const source = readObject(value, field);
  switch (source['type']) {
    case 'base64':
      return readBytes(source, field, kind);
    case 'url': {
      const at = `${field}.url`;
      return { url: readWebUrl(readText(source['url'], at), kind, at) };
    }
    case 'file':
      throw fieldError(
        `${field}.type`,
        'Files cannot be uploaded here, so none can be named.',
        'Send what is in it with the type base64, or its address with the type url.',
      );
    default:
      throw fieldError(`${field}.type`, 'There is no such source.', 'Send base64 or url.');
  }
}

/** The bytes themselves are looked at by whoever is asked. */
function readBytes({ media_type: type, data }: Fields, field: string, kind: MediaKind) {
  const mediaType = readText(type, `${field}.media_type`).toLowerCase();
  if (!isMediaType(mediaType, kind)) {
    const fix = `Send one such as ${kind === 'file' ? 'application/pdf' : 'image/png'}.`;
    const message = `This is no media type of a ${MEDIA_WORDS[kind]}.`;
    throw fieldError(`${field}.media_type`, message, fix);
  }
  const base64 = readText(data, `${field}.data`);
  if (base64 !== '') return { base64, mediaType };
  throw fieldError(
    `${field}.data`,
    `The ${MEDIA_WORDS[kind]} has no bytes.`,
    'Send them as base64.',
  );
}
