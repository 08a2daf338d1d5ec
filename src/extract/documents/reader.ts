import type { DocumentContent, DocumentSource } from '#core/extract/document.ts';

/** What becomes of the bytes: a caller that does not need them any more saves a copy of them. */
export type BytesUse = 'kept' | 'taken';

/**
 * Reads one format: a pure function of bytes and source. It throws `CallError`: `validation` with
 * field `document` for bytes that cannot be read, `too_large` beyond a limit, `auth` with field
 * `password` for a document that is encrypted. It never shortens a text.
 */
export type FormatReader = (
  bytes: Uint8Array,
  source: DocumentSource,
  use?: BytesUse,
) => DocumentContent | Promise<DocumentContent>;
