import type { ChatPart, MediaSource } from '#core/llm/chat.ts';
import { oneLine } from '#core/text/text.ts';
import {
  isMediaType,
  MEDIA_NOUNS,
  readDocumentText,
  readFileIdSource,
  readWebUrl,
  type GatewayMediaKind,
} from '../gateway/media.ts';
import {
  fieldError,
  isAbsent,
  readList,
  readObject,
  readString,
  type JsonFields,
} from '../gateway/fields.ts';

/** The longest name in common file systems. */
const MAX_NAME_CHARS = 255;

/** Reads a content block of a message as parts; undefined for other types of blocks. */
export function readPart(block: JsonFields, field: string): readonly ChatPart[] | undefined {
  switch (block['type']) {
    case 'text':
      return textPart(readString(block['text'], `${field}.text`));
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

type TextPart = Extract<ChatPart, { readonly type: 'text' }>;

function textPart(text: string): readonly TextPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** The text of a document, checked like that of a file. */
function fileText(text: string, title: string): readonly ChatPart[] {
  return textPart(text).map((part) => ({ ...part, fromFile: title === '' ? 'document' : title }));
}

function readDocument(block: JsonFields, field: string): readonly ChatPart[] {
  const source = readObject(block['source'], `${field}.source`);
  const title = typeof block['title'] === 'string' ? oneLine(block['title'], MAX_NAME_CHARS) : '';
  const heading = [block['title'], block['context']]
    .filter((each) => typeof each === 'string' && each !== '')
    .join('\n');
  if (source['type'] === 'text') {
    const text = readString(source['data'], `${field}.source.data`);
    return fileText(withHeading(heading, text), title);
  }
  if (source['type'] === 'content') {
    return [
      ...textPart(heading),
      ...readDocumentBlocks(source['content'], `${field}.source.content`).flatMap((part) =>
        part.type === 'text' ? fileText(part.text, title) : [part],
      ),
    ];
  }
  const media = readSource(source, `${field}.source`, 'file');
  const text = readDocumentText(media, `${field}.source.data`);
  if (text !== undefined) return fileText(withHeading(heading, text), title);
  return [
    ...textPart(heading),
    { type: 'file', source: media, ...(title !== '' && { name: title }) },
  ];
}

function withHeading(heading: string, text: string): string {
  return heading === '' ? text : `${heading}\n\n${text}`;
}

/** Reads a document that consists of texts and pictures. */
function readDocumentBlocks(value: unknown, field: string): readonly ChatPart[] {
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

function readSearchResult(block: JsonFields, field: string): string {
  const lines = [block['title'], block['source']].filter((each) => typeof each === 'string');
  const content = isAbsent(block['content']) ? [] : readList(block['content'], `${field}.content`);
  for (const [index, each] of content.entries()) {
    const at = `${field}.content[${index}]`;
    lines.push(readString(readObject(each, at)['text'], `${at}.text`));
  }
  return lines.join('\n');
}

function readSource(value: unknown, field: string, kind: GatewayMediaKind): MediaSource {
  const source = readObject(value, field);
  switch (source['type']) {
    case 'base64':
      return readBytes(source, field, kind);
    case 'url': {
      const at = `${field}.url`;
      return { url: readWebUrl(readString(source['url'], at), kind, at) };
    }
    case 'file':
      return readFileIdSource(source['file_id'], `${field}.file_id`);
    default:
      throw fieldError(
        `${field}.type`,
        'There is no such source.',
        `Send ${kind === 'file' ? 'base64, text, content, url or file' : 'base64, url or file'}.`,
      );
  }
}

/** Reads a base64 source. The bytes are checked by the provider. */
function readBytes({ media_type: type, data }: JsonFields, field: string, kind: GatewayMediaKind) {
  const mediaType = readString(type, `${field}.media_type`).toLowerCase();
  if (!isMediaType(mediaType, kind)) {
    const fix = `Send one such as ${kind === 'file' ? 'application/pdf' : 'image/png'}.`;
    const message = `This is not a media type of a ${MEDIA_NOUNS[kind]}.`;
    throw fieldError(`${field}.media_type`, message, fix);
  }
  const base64 = readString(data, `${field}.data`);
  if (base64 !== '') return { base64, mediaType };
  throw fieldError(
    `${field}.data`,
    `The ${MEDIA_NOUNS[kind]} has no bytes.`,
    'Send them as base64.',
  );
}
