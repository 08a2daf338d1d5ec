import type { MediaSource } from '#core/chat.ts';
import { isTextType } from '#core/text-type.ts';
import { fieldError } from './fields.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a document that is one, as every model reads texts and few read documents; nothing for all others. */
export function documentText(source: MediaSource, field: string): string | undefined {
  if (!('base64' in source) || !isTextType(source.mediaType)) return undefined;
  const text = decode(source.base64);
  if (text !== undefined && text !== '') return text;
  const message =
    text === '' ? 'The document has no bytes.' : 'The document is said to be text and is no UTF-8.';
  throw fieldError(field, message, 'Send the base64 of a text in UTF-8, or its true media type.');
}

function decode(base64: string): string | undefined {
  try {
    return UTF8.decode(Buffer.from(base64, 'base64'));
  } catch {
    // Bytes that are no UTF-8: the caller says so.
    return undefined;
  }
}
