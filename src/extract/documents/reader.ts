import type { DocumentContent, DocumentSource } from '#core/extract/document.ts';

/**
 * Reads one format: a pure function of bytes and source. It throws `CallError`: `validation` with
 * field `document` for bytes that cannot be read, `too_large` beyond a limit, `auth` with field
 * `password` for a document that is encrypted. It never shortens a text.
 */
export type FormatReader = (
  bytes: Uint8Array,
  source: DocumentSource,
) => DocumentContent | Promise<DocumentContent>;
