import type { PageBlock } from './blocks/block.ts';
import { cellsOf, rowsOf } from './blocks/data-table.ts';
import { isHiddenElement } from './blocks/hidden.ts';
import type { TreeNode } from './tree/node.ts';
import { BLOCK } from './tree/tags.ts';
import { ElementNode } from './tree/node.ts';
import { codeText } from './markdown/code-block.ts';
import { collapse, shownText } from './markdown/inline.ts';

/** The text of the kept blocks alone: no links, no images, no captions of images. */
export function writeText(blocks: readonly PageBlock[]): string {
  const parts: string[] = [];
  for (const block of blocks) {
    if (block.frame?.kind === 'caption' || block.chars === 0) continue;
    const text = blockText(block);
    if (text !== '') parts.push(text);
  }
  return parts.join('\n\n');
}

/** The text of one block. */
export function blockText(block: PageBlock): string {
  if (block.kind === 'code') return codeText(block.element);
  if (block.kind === 'table')
    return rowsOf(block.element)
      .map((row) => cellsOf(row).map(cellText).join(' | '))
      .join('\n');
  let text = '';
  for (let i = block.start; i < block.end; i++)
    text += shownText(block.element.children[i] as TreeNode);
  return collapseLines(text);
}

function cellText(cell: ElementNode): string {
  return collapse(separated(cell)).trim();
}

/** Blocks in a cell are separate words. */
function separated(element: ElementNode): string {
  if (!element.hasBlock) return shownText(element);
  if (isHiddenElement(element)) return '';
  let text = '';
  for (const child of element.children)
    text +=
      child instanceof ElementNode && (child.hasBlock || (child.flags & BLOCK) !== 0)
        ? ` ${separated(child)} `
        : shownText(child);
  return text;
}

function collapseLines(text: string): string {
  // Line breaks of the source are spaces; those of <br> cannot be told apart here and become spaces, too.
  return collapse(text).trim();
}
