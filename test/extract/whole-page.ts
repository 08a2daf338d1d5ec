/** The Markdown of a whole page, nothing of it dropped: for tests of the writer. */
import { collectBlocks } from '../../src/extract/html/blocks/collect-blocks.ts';
import { HTML_LIMITS } from '../../src/extract/html/limits.ts';
import { createAddresses } from '../../src/extract/html/markdown/addresses.ts';
import { writeMarkdown } from '../../src/extract/html/markdown/write-markdown.ts';
import type { Tree } from '../../src/extract/html/tree/node.ts';
import { parseHtml } from '../../src/extract/html/tree/parse.ts';

export const PAGE_URL = 'https://example.org/folder/page';

export function toMarkdown(html: string): string {
  return treeMarkdown(parseHtml(html, HTML_LIMITS, 'html'));
}

export function treeMarkdown(tree: Tree): string {
  const { blocks } = collectBlocks(tree, { noscript: 'skip', hiddenFrom: Infinity });
  return writeMarkdown(blocks, createAddresses(PAGE_URL, undefined));
}
