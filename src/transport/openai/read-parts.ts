import type { ChatPart } from '#core/chat.ts';
import { oneLine } from '#core/one-line.ts';
import { documentText } from '../gateway/document-text.ts';
import { fieldError, isAbsent, isObject, type Fields } from '../gateway/fields.ts';
import { isVisible } from '../gateway/is-visible.ts';
import { readMedia } from './read-media.ts';

/** No system of files has longer ones. */
const MAX_NAME_CHARS = 255;

/** What a user says. One text alone is a text, however it was wrapped. */
export function readContent(given: unknown, message: number): string | readonly ChatPart[] {
  if (typeof given === 'string') {
    if (isVisible(given)) return given;
    throw emptyContent(message);
  }
  const list = readList(given, message);
  const parts: ChatPart[] = [];
  let saysSomething = false;
  for (let at = 0; at < list.length; at++) {
    const part = readPart(partIn(list, message, at), message, at);
    saysSomething ||= part.type !== 'text' || isVisible(part.text);
    parts.push(part);
  }
  if (!saysSomething) throw emptyContent(message);
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : parts;
}

/** The text of one who can only say texts. `glue` stands between two parts. */
export function readTexts(given: unknown, message: number, glue: '' | '\n\n'): string {
  if (typeof given === 'string') return given;
  const list = readList(given, message);
  let text = '';
  for (let at = 0; at < list.length; at++) {
    const part = partIn(list, message, at);
    const said = part['type'] === 'refusal' ? part['refusal'] : part['text'];
    if ((part['type'] !== 'text' && part['type'] !== 'refusal') || typeof said !== 'string') {
      throw fieldError(
        `messages[${message}].content[${at}]`,
        'This message can only hold texts.',
        'Send {"type": "text", "text": "…"}; pictures and documents belong to messages of the user.',
      );
    }
    text += at === 0 ? said : glue + said;
  }
  return text;
}

function readPart(part: Fields, message: number, at: number): ChatPart {
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
      const held = part[type];
      // Some libraries leave the inner object out.
      const url = isObject(held) ? held['url'] : held;
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

function readFile(file: unknown, field: string): ChatPart {
  if (isObject(file) && !isAbsent(file['file_data'])) {
    const at = `${field}.file_data`;
    const source = readMedia(file['file_data'], 'file', at);
    const text = documentText(source, at);
    return text === undefined
      ? { type: 'file', source }
      : { type: 'text', text: named(file['filename'], text) };
  }
  throw fieldError(
    field,
    'The document has no bytes; ids of uploaded files mean nothing here.',
    'Send file_data: data:<media type>;base64,<bytes>.',
  );
}

/** A text under the name of its document, where it has one. */
function named(filename: unknown, text: string): string {
  if (typeof filename !== 'string' || filename.trim() === '') return text;
  return `${oneLine(filename.trim(), MAX_NAME_CHARS)}\n\n${text}`;
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

function readList(given: unknown, message: number): readonly unknown[] {
  if (Array.isArray(given)) return given as readonly unknown[];
  throw fieldError(
    `messages[${message}].content`,
    'The content of a message must be a text or a list of parts.',
    'Send a text.',
  );
}

function partIn(list: readonly unknown[], message: number, at: number): Fields {
  const part = list[at];
  if (isObject(part)) return part;
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
