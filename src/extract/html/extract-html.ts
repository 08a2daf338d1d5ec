import type { ExtractedDocument, ExtractionSource } from '#core/extract/extractor.ts';
import { analyse, type PageAnalysis } from './analyse.ts';
import { decodeHtml } from './decode.ts';
import { readEmbedded } from './embedded.ts';
import { HTML_LIMITS, requireSize, type HtmlLimits } from './limits.ts';
import { createAddresses } from './markdown/addresses.ts';
import { writeMarkdown } from './markdown/write-markdown.ts';
import { readMetadata } from './metadata/read-metadata.ts';
import { browserReason } from './needs-browser.ts';
import { writeText } from './text-view.ts';
import type { Tree } from './tree/node.ts';
import { parseHtml } from './tree/parse.ts';
import { vote } from './vote/vote.ts';

/** Below this, text that the page carries as data may be what it is about. */
const FEW_WORDS = 150;

/**
 * The main text of a page, as Markdown and as text, with its metadata. A pure function: no network,
 * no clock. Pages over a limit are refused with `too_large`; nothing is shortened.
 */
export function extractHtml(
  bytes: Uint8Array,
  source: ExtractionSource = {},
  limits: HtmlLimits = HTML_LIMITS,
): ExtractedDocument {
  requireSize(bytes.length, limits);
  const html = decodeHtml(bytes, source.contentType);
  const tree = parseHtml(html, limits, isXhtml(html, source.contentType) ? 'xhtml' : 'html');
  const shown = analyse(tree, source.url);
  const { page, head, jsonLd } = shown;
  const embedded =
    page.words < FEW_WORDS ? readEmbeddedPage(tree, shown, source, limits) : undefined;
  const chosen = vote(embedded ?? shown);
  const addresses = createAddresses(source.url, head.base);
  const needsBrowser =
    embedded === undefined ? browserReason(html, tree, head, page.words) : undefined;
  return {
    ...readMetadata(head, jsonLd, page.blocks, source.url),
    kind: chosen.kind,
    confidence: chosen.confidence,
    markdown: writeMarkdown(chosen.blocks, addresses),
    text: writeText(chosen.blocks),
    ...(needsBrowser !== undefined && { needsBrowser }),
  };
}

/** The text in the data of the page, if it has more words than the page shows. */
function readEmbeddedPage(
  tree: Tree,
  { page, jsonLd }: PageAnalysis,
  { url }: ExtractionSource,
  limits: HtmlLimits,
): PageAnalysis | undefined {
  const embedded = readEmbedded(tree, jsonLd);
  if (embedded === undefined || embedded.words <= page.words * 2) return undefined;
  const text = `<body><main><article class="article-content">${embedded.html}</article></main></body>`;
  const analysis = analyse(parseHtml(text, limits, 'html'), url);
  return analysis.page.words > page.words ? analysis : undefined;
}

function isXhtml(html: string, contentType: string | undefined): boolean {
  return /xhtml|\/xml/i.test(contentType ?? '') || /^\s*<\?xml/.test(html.slice(0, 200));
}
