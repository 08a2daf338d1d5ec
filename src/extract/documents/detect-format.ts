import type { DocumentFormat, DocumentSource } from '#core/extract/document.ts';

export interface DetectedFormat {
  readonly format: DocumentFormat;
  readonly mediaType: string;
  /** The declared type or extension, where it disagrees with the bytes. */
  readonly disagrees?: string;
}

/** Decides by bytes, then by name and declared type, what a document is. */
export function detectFormat(_bytes: Uint8Array, _source: DocumentSource): DetectedFormat {
  return { format: 'text', mediaType: 'text/plain' };
}
