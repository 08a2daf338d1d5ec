import type { Notice } from '../messages/notices.ts';
import type { ExtractedDocument } from './extractor.ts';

/** What the bytes of a document are; decided by the bytes, then by name and declared type. */
export const DOCUMENT_FORMATS = [
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'odt',
  'ods',
  'odp',
  'epub',
  'doc',
  'ppt',
  'xls',
  'rtf',
  'csv',
  'eml',
  'msg',
  'archive',
  'html',
  'notebook',
  'text',
] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** Pages (slides, sheets, chapters) to read, both ends included; numbers start at 1. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

export interface DocumentSource {
  /** The file name; decides where the bytes leave it open. */
  readonly name?: string;
  /** The declared content type, with its charset. */
  readonly contentType?: string;
  /** The address of a web page; relative links are resolved with it. */
  readonly url?: string;
  readonly password?: string;
  /** Default: all. */
  readonly pages?: PageRange;
}

/** Where a part of a document is, for citations. Numbers start at 1. */
export type DocumentPlace =
  | { readonly is: 'page'; readonly page: number }
  | { readonly is: 'slide'; readonly slide: number }
  | { readonly is: 'sheet'; readonly sheet: string; readonly index: number }
  | { readonly is: 'section'; readonly section: number; readonly title?: string }
  /** A document without pages; a citation names the line of its text. */
  | { readonly is: 'document' };

export interface DocumentPart {
  readonly place: DocumentPlace;
  /**
   * Its text as Markdown. Plain text and code are unchanged, so that line numbers are those of the
   * file. A citation names the place and the line within it.
   */
  readonly markdown: string;
}

/** What a reader returns. */
export interface DocumentContent {
  readonly title?: string;
  readonly author?: string;
  /** In ISO 8601. */
  readonly date?: string;
  readonly language?: string;
  /** How many pages, slides, sheets or chapters the document has; absent if it has none. */
  readonly pageCount?: number;
  readonly parts: readonly DocumentPart[];
  readonly notices: readonly Notice[];
  /** Of a web page: its kind, site and main text. */
  readonly page?: ExtractedDocument;
}

/** A document as it was read. */
export interface ReadDocument extends DocumentContent {
  readonly format: DocumentFormat;
  readonly mediaType: string;
}
