import type { OfficeBlock, OfficeRun } from './office-block.ts';
import { writeOfficeBlocks } from './write-blocks.ts';

const KEPT_LINK = /^(?:https?|mailto|tel|ftp|file):/i;

/**
 * The Markdown of a part. The text of a link stays a part of its sentence; the addresses are a list
 * at the end, so that sentences can be searched and quoted as they are read.
 */
export function writeOfficePart(blocks: readonly OfficeBlock[]): string {
  const links = new Map<string, string>();
  for (const block of blocks) collectLinks(block, links);
  const items = [...links].map(([link, text]): OfficeBlock => {
    const runs: OfficeRun[] = [{ text: `${text}: ` }, { text: autolink(link), isMarkdown: true }];
    return { kind: 'item', level: 0, runs };
  });
  if (items.length === 0) return writeOfficeBlocks(blocks);
  return writeOfficeBlocks([
    ...blocks,
    { kind: 'paragraph', runs: [{ text: 'Links:' }] },
    ...items,
  ]);
}

/** The first text of each address; one that is written out needs no entry. */
function collectLinks(block: OfficeBlock, links: Map<string, string>): void {
  if (block.kind === 'table') {
    for (const row of block.rows)
      for (const cell of row) for (const inner of cell) collectLinks(inner, links);
    return;
  }
  if (block.kind === 'note') {
    for (const inner of block.blocks) collectLinks(inner, links);
    return;
  }
  const { runs } = block;
  for (let at = 0; at < runs.length; at++) {
    const link = runs[at]?.link?.trim();
    if (link === undefined || !KEPT_LINK.test(link)) continue;
    let text = '';
    while (runs[at]?.link?.trim() === link) text += runs[at++]?.text ?? '';
    at--;
    const shown = text.replace(/\s+/g, ' ').trim();
    if (shown !== '' && !isWrittenOut(link, shown) && !links.has(link)) links.set(link, shown);
  }
}

function isWrittenOut(link: string, text: string): boolean {
  const bare = (address: string): string =>
    address
      .replace(/^(?:https?:\/\/|mailto:)/i, '')
      .replace(/\/$/, '')
      .toLowerCase();
  return bare(text).includes(bare(link));
}

function autolink(link: string): string {
  return `<${link.replace(/[\s<>]/g, (char) => encodeURIComponent(char))}>`;
}
