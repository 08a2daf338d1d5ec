import { CallError } from '#core/errors/call-error.ts';
import type { ExtractedDocument, ExtractionSource, Extractor } from '#core/extract/extractor.ts';

/** What `exai read` prints: the main text of a page, or a plain text as it is. */
export type ReadDocument =
  | ({ readonly is: 'page' } & ExtractedDocument)
  | { readonly is: 'text'; readonly text: string };

const HTML_TYPE = /\b(?:html|xhtml|xml)\b/i;
const TEXT_TYPE = /^(?:text\/|application\/(?:json|javascript|x-ndjson))/i;
const HTML_NAME = /\.(?:x?html?|xht|shtml)$/i;
/** How many bytes decide what a document without a type is. */
const HEAD_BYTES = 4096;

/** Reads a document by its declared type, its name or its first bytes. */
export async function readDocument(
  extractor: Extractor,
  bytes: Uint8Array,
  source: ExtractionSource & { readonly name?: string },
  signal: AbortSignal,
): Promise<ReadDocument> {
  const { name, ...extraction } = source;
  switch (formatOf(bytes, source.contentType, name)) {
    case 'html':
      return { is: 'page', ...(await extractor.extract(bytes, extraction, signal)) };
    case 'text':
      return { is: 'text', text: decodeText(bytes, source.contentType) };
    case 'unknown':
      throw new CallError('validation', 'The document is neither an HTML page nor plain text.', {
        fix: 'Convert it to HTML or text first.',
      });
  }
}

function formatOf(bytes: Uint8Array, contentType = '', name = ''): 'html' | 'text' | 'unknown' {
  if (HTML_TYPE.test(contentType) || HTML_NAME.test(name)) return 'html';
  const head = bytes.subarray(0, HEAD_BYTES);
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (!isUtf16 && head.includes(0)) return 'unknown';
  if (TEXT_TYPE.test(contentType)) return 'text';
  if (contentType !== '' && !/octet-stream/i.test(contentType)) return 'unknown';
  const start = new TextDecoder().decode(head).trimStart();
  return /^<(?:!doctype|html|head|body|\?xml|!--|[a-z][a-z0-9]*[\s>])/i.test(start)
    ? 'html'
    : 'text';
}

function decodeText(bytes: Uint8Array, contentType = ''): string {
  const [, charset = 'utf-8'] = /charset\s*=\s*"?([\w-]+)/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // An unknown charset name.
    return new TextDecoder().decode(bytes);
  }
}
