import { loneText } from '../gateway/lone-text.ts';
import type { ChatPart, MediaSource } from '#core/llm/chat.ts';
import { oneLine } from '#core/text/text.ts';
import {
  fieldError,
  isAbsent,
  isJsonObject,
  isVisible,
  type JsonFields,
} from '../gateway/fields.ts';
import {
  isMediaType,
  MEDIA_NOUNS,
  readDocumentText,
  readFileIdSource,
  readWebUrl,
  type GatewayMediaKind,
} from '../gateway/media.ts';

/** The longest name in common file systems. */
const MAX_NAME_CHARS = 255;

/** Reads the content of a user message. A single text part becomes a plain text. */
export function readContent(value: unknown, message: number): string | readonly ChatPart[] {
  if (typeof value === 'string') {
    if (isVisible(value)) return value;
    throw emptyContent(message);
  }
  const list = readList(value, message);
  const parts: ChatPart[] = [];
  let hasContent = false;
  for (let at = 0; at < list.length; at++) {
    const part = readPart(partIn(list, message, at), message, at);
    hasContent ||= part.type !== 'text' || isVisible(part.text);
    parts.push(part);
  }
  if (!hasContent) throw emptyContent(message);
  return loneText(parts) ?? parts;
}

/** Reads the content of a message that can only have texts; `separator` is put between parts. */
export function readTexts(value: unknown, message: number, separator: '' | '\n\n'): string {
  if (typeof value === 'string') return value;
  const list = readList(value, message);
  let text = '';
  for (let at = 0; at < list.length; at++) {
    const part = partIn(list, message, at);
    const partText = part['type'] === 'refusal' ? part['refusal'] : part['text'];
    if ((part['type'] !== 'text' && part['type'] !== 'refusal') || typeof partText !== 'string') {
      throw fieldError(
        `messages[${message}].content[${at}]`,
        'This message can only hold texts.',
        'Send {"type": "text", "text": "…"}; pictures and documents belong to messages of the user.',
      );
    }
    text += at === 0 ? partText : separator + partText;
  }
  return text;
}

function readPart(part: JsonFields, message: number, at: number): ChatPart {
  const { type } = part;
  switch (type) {
    case 'text':
      if (typeof part['text'] === 'string') return { type, text: part['text'] };
      throw fieldError(
        `messages[${message}].content[${at}].text`,
        'The text of a part must be a text.',
        'Send {"type": "text", "text": "…"}.',
      );
    case 'image_url':
    case 'video_url': {
      const media = part[type];
      // Some libraries send the URL without the inner object.
      const url = isJsonObject(media) ? media['url'] : media;
      const kind = type === 'image_url' ? 'image' : 'video';
      const field = `messages[${message}].content[${at}].${type}.url`;
      return { type: kind, source: readMedia(url, kind, field) };
    }
    case 'file':
      return readFile(part['file'], `messages[${message}].content[${at}].file`);
    default:
      throw unknownPart(type, `messages[${message}].content[${at}]`);
  }
}

/**
 * Reads a document that is sent as a data URL or named by its id; one that is text becomes a text
 * part.
 */
export function readFile(file: unknown, field: string): ChatPart {
  const { file_data: data, file_id: id, filename } = isJsonObject(file) ? file : NOTHING;
  if (!isAbsent(data)) {
    const at = `${field}.file_data`;
    if (typeof data === 'string' && !/^(?:data:|https?:)/i.test(data.slice(0, 6))) {
      throw fieldError(at, 'The bytes of the document are not a data URL.', SEND_FILE_DATA);
    }
    const source = readMedia(data, 'file', at);
    const name = readFilename(filename);
    const text = readDocumentText(source, at);
    if (text !== undefined) {
      const fromFile = name === '' ? 'document' : name;
      return { type: 'text', text: name === '' ? text : `${name}\n\n${text}`, fromFile };
    }
    return { type: 'file', source, ...(name !== '' && { name }) };
  }
  if (!isAbsent(id)) return { type: 'file', source: readFileIdSource(id, `${field}.file_id`) };
  throw fieldError(field, 'The document has neither bytes nor an id.', SEND_FILE_DATA);
}

const SEND_FILE_DATA =
  'Send file_data: data:<media type>;base64,<bytes>, or the file_id of an uploaded file.';

const NOTHING: JsonFields = {};

function readFilename(filename: unknown): string {
  return typeof filename === 'string' ? oneLine(filename.trim(), MAX_NAME_CHARS) : '';
}

function unknownPart(type: unknown, field: string) {
  if (type === 'input_audio') {
    const fix = 'Send what is said as a text.';
    return fieldError(`${field}.type`, 'No model that is asked here can listen.', fix);
  }
  const name = typeof type === 'string' ? ` "${oneLine(type, 40)}"` : '';
  const fix = 'Send text, image_url, video_url or file.';
  return fieldError(`${field}.type`, `There is no part of the type${name}.`, fix);
}

function readList(value: unknown, message: number): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw fieldError(
    `messages[${message}].content`,
    'The content of a message must be a text or a list of parts.',
    'Send a text.',
  );
}

function partIn(list: readonly unknown[], message: number, at: number): JsonFields {
  const part = list[at];
  if (isJsonObject(part)) return part;
  throw fieldError(
    `messages[${message}].content[${at}]`,
    'A part of a message must be an object.',
    'Send {"type": "text", "text": "…"}.',
  );
}

function emptyContent(message: number) {
  return fieldError(
    `messages[${message}].content`,
    'The message of the user is empty.',
    'Say something in it, or leave it out.',
  );
}

/** Where the header of a data URL must have ended. */
const MAX_HEAD_CHARS = 256;
const DATA = 'data:';
const FIX = 'Send an http or https URL, or data:<media type>;base64,<bytes>.';

/** Reads a web URL or a data URL. The bytes are checked by the provider. */
export function readMedia(value: unknown, kind: GatewayMediaKind, field: string): MediaSource {
  if (typeof value !== 'string') {
    throw fieldError(field, `The address of the ${MEDIA_NOUNS[kind]} must be a text.`, FIX);
  }
  const isData = value.slice(0, DATA.length).toLowerCase() === DATA;
  return isData ? readDataUrl(value, kind, field) : { url: readWebUrl(value, kind, field) };
}

function readDataUrl(url: string, kind: GatewayMediaKind, field: string): MediaSource {
  const comma = url.slice(0, MAX_HEAD_CHARS).indexOf(',');
  const head = comma === -1 ? '' : url.slice(DATA.length, comma).toLowerCase();
  if (!head.endsWith(';base64') || comma + 1 === url.length) {
    throw fieldError(field, `The data URL of the ${MEDIA_NOUNS[kind]} holds no base64.`, FIX);
  }
  const mediaType = head.slice(0, head.indexOf(';')).trim();
  if (isMediaType(mediaType, kind)) return { base64: url.slice(comma + 1), mediaType };
  const fix =
    kind === 'file'
      ? 'Say what it is: data:application/pdf;base64,….'
      : `Say what it is: data:${kind}/…;base64,…. Documents go into a part of type file.`;
  throw fieldError(field, `The data URL says nothing of a ${MEDIA_NOUNS[kind]}.`, fix);
}
