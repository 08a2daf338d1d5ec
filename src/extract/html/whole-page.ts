import type { ExtractionSource } from '#core/extract/extractor.ts';
import { readPageBlocks } from './blocks/read-page-blocks.ts';
import { decodeHtml } from './decode.ts';
import { HTML_LIMITS, requireSize, type HtmlLimits } from './limits.ts';
import { createAddresses } from './markdown/addresses.ts';
import { writeMarkdown } from './markdown/write-markdown.ts';
import { readHead } from './metadata/head-values.ts';
import { parseHtml } from './tree/parse.ts';

/** All visible text of a page as Markdown: nothing is taken for navigation or advertising. */
export function readWholePage(
  bytes: Uint8Array,
  source: ExtractionSource = {},
  limits: HtmlLimits = HTML_LIMITS,
): string {
  requireSize(bytes.length, limits);
  const html = decodeHtml(bytes, source.contentType);
  const isXml = /^\s*<\?xml/.test(html.slice(0, 200)) || /xhtml/i.test(source.contentType ?? '');
  const tree = parseHtml(html, limits, isXml ? 'xhtml' : 'html');
  const addresses = createAddresses(source.url, readHead(tree).base);
  return writeMarkdown(readPageBlocks(tree).blocks, addresses);
}
