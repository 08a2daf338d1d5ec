import type { PageLayout } from './page-layout.ts';
import { renderParagraphs, type TextStyle } from './paragraphs.ts';
import { renderTable, splitTables } from './tables.ts';

/** The Markdown of one page. */
export function renderPage({ blocks, fields }: PageLayout, style: TextStyle): string {
  const parts: string[] = [];
  for (const block of blocks)
    for (const part of splitTables(block))
      parts.push(
        part.is === 'table' ? renderTable(part.rows) : renderParagraphs(part.lines, style),
      );
  parts.push(fields);
  return parts.filter((part) => part !== '').join('\n\n');
}
