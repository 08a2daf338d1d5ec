import type { ChatPart } from '#core/llm/chat.ts';
import { oneLine } from '#core/text/text.ts';
import {
  fieldError,
  fieldProblem,
  isAbsent,
  isJsonObject,
  type JsonFields,
} from '../gateway/fields.ts';
import { readFileIdSource } from '../gateway/media.ts';
import { readFile, readMedia } from '../openai/content-parts.ts';

const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'text',
  'summary_text',
  'reasoning_text',
]);

/** Reads the content of an item as parts; a text is a single part. */
export function readItemParts(value: unknown, field: string): readonly ChatPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) {
    throw fieldProblem(field, 'must be a text or a list of parts', 'Send a text.');
  }
  return value.map((part: unknown, at) => readItemPart(part, `${field}[${at}]`));
}

/** Reads content that can only have texts. */
export function readItemTexts(value: unknown, field: string, separator: '' | '\n\n'): string {
  const texts = readItemParts(value, field).map((part, at) => {
    if (part.type === 'text') return part.text;
    throw fieldError(
      `${field}[${at}]`,
      'Only messages of the user and results of tools can have images and files.',
      'Send input_text.',
    );
  });
  return texts.join(separator);
}

function readItemPart(value: unknown, field: string): ChatPart {
  if (!isJsonObject(value)) {
    const fix = 'Send {"type": "input_text", "text": "…"}.';
    throw fieldError(field, 'A part of an item must be an object.', fix);
  }
  const { type } = value;
  if (TEXT_TYPES.has(type)) return { type: 'text', text: readText(value['text'], `${field}.text`) };
  switch (type) {
    case 'refusal':
      return { type: 'text', text: readText(value['refusal'], `${field}.refusal`) };
    case 'input_image':
      return readImage(value, field);
    case 'input_file':
      return readDocument(value, field);
    default: {
      const name = typeof type === 'string' ? ` "${oneLine(type, 40)}"` : '';
      const fix = 'Send input_text, input_image or input_file.';
      throw fieldError(`${field}.type`, `There is no part of the type${name}.`, fix);
    }
  }
}

function readText(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw fieldProblem(field, 'must be a text', 'Send {"type": "input_text", "text": "…"}.');
}

function readImage({ image_url: url, file_id: fileId }: JsonFields, field: string): ChatPart {
  if (isAbsent(url)) {
    if (isAbsent(fileId)) {
      throw fieldProblem(field, 'has no image_url', 'Send image_url, or file_id.');
    }
    return { type: 'image', source: readFileIdSource(fileId, `${field}.file_id`) };
  }
  // Chat completions have an object here, and some libraries send it.
  const address = isJsonObject(url) ? url['url'] : url;
  return { type: 'image', source: readMedia(address, 'image', `${field}.image_url`) };
}

function readDocument(part: JsonFields, field: string): ChatPart {
  const { file_data: data, file_url: url } = part;
  if (isAbsent(data) && !isAbsent(url)) {
    return { type: 'file', source: readMedia(url, 'file', `${field}.file_url`) };
  }
  return readFile(part, field);
}
