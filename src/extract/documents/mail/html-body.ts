import { readPageBlocks } from '../../html/blocks/read-page-blocks.ts';
import { HTML_LIMITS, requireSize } from '../../html/limits.ts';
import { createAddresses } from '../../html/markdown/addresses.ts';
import { writeMarkdown } from '../../html/markdown/write-markdown.ts';
import { parseHtml } from '../../html/tree/parse.ts';

/** All that a mail in HTML shows, as Markdown: a mail has no menus around its text. */
export function htmlBody(html: string): string {
  requireSize(html.length, HTML_LIMITS);
  const tree = parseHtml(html.replace(/\r\n?/g, '\n'), HTML_LIMITS, 'html');
  return writeMarkdown(readPageBlocks(tree).blocks, createAddresses(undefined, undefined));
}
