import type { DocumentSource } from '#core/extract/document.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { decodeUnknownText } from '../../encoding/decode-text.ts';

/** The text of a document, with a notice if its encoding was guessed. */
export function readDecoded(
  bytes: Uint8Array,
  source: DocumentSource,
): { readonly text: string; readonly notices: readonly Notice[] } {
  const { text, guessed } = decodeUnknownText(bytes, source.contentType);
  return {
    text,
    notices:
      guessed === undefined ? [] : [notice('document_encoding_guessed', { encoding: guessed })],
  };
}
