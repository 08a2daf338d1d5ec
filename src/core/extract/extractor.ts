import type { DocumentSource, ReadDocument } from './document.ts';

/** What is read of a web page: its text, and what it says about itself. */

export const PAGE_KINDS = [
  'article',
  'documentation',
  'forum',
  'product',
  'listing',
  'service',
  'collection',
] as const;

/**
 * `listing`: links to articles or results. `collection`: products of a shop. `service`: what an
 * organisation offers.
 */
export type PageKind = (typeof PAGE_KINDS)[number];

/** Why a page has to be rendered by a browser before its text can be read. */
export type BrowserReason = 'few_words' | 'mostly_scripts' | 'refresh' | 'challenge';

export interface ExtractionSource {
  /** The address of the document; relative links are resolved with it. */
  readonly url?: string;
  /** The content type that its server declared, with its charset. */
  readonly contentType?: string;
}

export interface ExtractedDocument {
  readonly title?: string;
  readonly author?: string;
  /** As the page states it, in ISO 8601 where it can be read. */
  readonly date?: string;
  /** A language tag, such as `pt-BR`. */
  readonly language?: string;
  /** The name of the site. */
  readonly site?: string;
  readonly canonicalUrl?: string;
  readonly kind: PageKind;
  /** 0 to 1: how certain the choice of the main text is. */
  readonly confidence: number;
  readonly markdown: string;
  /** The text alone: no links, images or captions. */
  readonly text: string;
  /** Present if the text is probably missing, because scripts write it. */
  readonly needsBrowser?: BrowserReason;
}

/** Reads documents of all formats, apart from the caller's thread. */
export interface Extractor {
  extract(bytes: Uint8Array, source: DocumentSource, signal: AbortSignal): Promise<ReadDocument>;
}
