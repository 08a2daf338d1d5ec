import type { DocumentSource } from '#core/extract/document.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { tooLarge } from '../document-errors.ts';
import { decodeUnknownText } from '../../encoding/decode-text.ts';

/** A text has as many characters in memory, several times; the bytes of other formats do not. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;

/** The text of a document, with a notice if its encoding was guessed. */
export function readDecoded(
  bytes: Uint8Array,
  source: DocumentSource,
): { readonly text: string; readonly notices: readonly Notice[] } {
  if (bytes.length > MAX_TEXT_BYTES) throw tooLarge('bytes of text', MAX_TEXT_BYTES);
  const { text, guessed } = decodeUnknownText(bytes, source.contentType);
  return {
    text,
    notices:
      guessed === undefined ? [] : [notice('document_encoding_guessed', { encoding: guessed })],
  };
}
