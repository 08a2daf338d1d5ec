import { tooLarge } from '../document-errors.ts';
import { needsAppearance, readAppearances } from './appearance-texts.ts';
import { readingOrder, type ColumnBlock } from './columns.ts';
import { renderFields } from './form-fields.ts';
import { buildLines } from './lines.ts';
import type { PdfPage } from './pdf-library.ts';
import { groupRuns, type PageItem } from './runs.ts';

/** The text of one page, in blocks of reading order. */
export interface PageLayout {
  readonly blocks: readonly ColumnBlock[];
  /** Form fields and notes, as Markdown. */
  readonly fields: string;
  readonly characters: number;
}

const MAX_ITEMS = 400_000;

export async function readPageLayout(page: PdfPage): Promise<PageLayout> {
  const items = await readItems(page);
  const groups = groupRuns(items, page.view);
  let characters = 0;
  for (const { runs } of groups) for (const { text } of runs) characters += text.length;
  return {
    blocks: groups.flatMap(({ runs }) => readingOrder(buildLines(runs))),
    fields: await readFields(page),
    characters,
  };
}

async function readFields(page: PdfPage): Promise<string> {
  const annotations = await page.getAnnotations().catch(() => []);
  if (!annotations.some(needsAppearance)) return renderFields(annotations);
  return renderFields(annotations, await readAppearances(page).catch(() => new Map()));
}

async function readItems(page: PdfPage): Promise<PageItem[]> {
  const items: PageItem[] = [];
  const verticalFonts = new Set<string>();
  const reader = page.streamTextContent().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return items;
    // A style is sent once, with the first text that has it.
    for (const [name, { vertical }] of Object.entries(value.styles))
      if (vertical === true) verticalFonts.add(name);
    for (const item of value.items)
      if (typeof item.str === 'string')
        items.push({ item, isVertical: verticalFonts.has(item.fontName) });
    if (items.length <= MAX_ITEMS) continue;
    // It settles when pdf.js has read the rest of the page, or never.
    reader.cancel().catch(() => undefined);
    throw tooLarge('pieces of text on a page', MAX_ITEMS);
  }
}
