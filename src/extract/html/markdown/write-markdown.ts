import type { PageBlock } from '../blocks/block.ts';
import type { Addresses } from './addresses.ts';
import { codeBlock } from './code-block.ts';
import { destination, escapeLineStart } from './escape.ts';
import { createFrames } from './frames.ts';
import { inlineMarkdown } from './inline.ts';
import { tableMarkdown } from './table.ts';

/** Writes the kept blocks in their order; list items and quotations are opened as they come. */
export function writeMarkdown(blocks: readonly PageBlock[], addresses: Addresses): string {
  const frames = createFrames();
  for (const block of blocks) {
    const text = blockMarkdown(block, addresses);
    if (text !== '') frames.write(block, text);
  }
  return frames.finish();
}

function blockMarkdown(block: PageBlock, addresses: Addresses): string {
  const { element } = block;
  switch (block.kind) {
    case 'rule':
      return '---';
    case 'code':
      return codeBlock(element);
    case 'table':
      return tableMarkdown(element, { addresses, emphasis: 'marked', place: 'cell' });
    case 'heading':
      return heading(block, addresses);
    case 'text':
    case 'image':
      return paragraph(inline(block, addresses, 'marked'));
    default:
      return block.kind satisfies never;
  }
}

function inline(block: PageBlock, addresses: Addresses, emphasis: 'marked' | 'plain'): string {
  const nodes = block.element.children.slice(block.start, block.end);
  const href = block.link === undefined ? undefined : addresses.link(block.link.get('href'));
  if (href === undefined) return inlineMarkdown(nodes, { addresses, emphasis }).trim();
  const text = inlineMarkdown(nodes, { addresses, emphasis, around: 'link' })
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  return text === '' ? '' : `[${text}](${destination(href)})`;
}

function heading(block: PageBlock, addresses: Addresses): string {
  const text = inline(block, addresses, 'plain').replace(/\s*\n\s*/g, ' ');
  if (text === '') return '';
  // A closing run of # belongs to the syntax.
  return `${'#'.repeat(block.level)} ${text.replace(/(?<!#)#+$/, (run) => run.replaceAll('#', String.raw`\#`))}`;
}

/** Single line breaks are hard breaks; two are a new paragraph. */
function paragraph(text: string): string {
  if (!text.includes('\n')) return escapeLineStart(text);
  return text
    .split('\n\n')
    .map((part) => part.split('\n').map(escapeLineStart).join('  \n'))
    .join('\n\n');
}
