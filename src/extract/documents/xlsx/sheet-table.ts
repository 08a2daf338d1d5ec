import { escapeText } from '../../html/markdown/escape.ts';
import { collapse } from '../../html/markdown/inline.ts';
import { markdownTable } from '../markdown-table.ts';
import { columnName, type SheetRow } from './sheet-cells.ts';

/** Tables up to this size are written whole, however few of their cells have a text. */
const SMALL_TABLE = 200_000;
const MAX_EMPTY_SHARE = 20;

/**
 * The cells as one table without the rows and columns that are empty. A sheet with few cells in a
 * huge area is written as a list: its text is bounded by the cells that it has.
 */
export function sheetTable(rows: readonly SheetRow[]): string {
  const used = new Set<number>();
  let cells = 0;
  for (const { columns } of rows) {
    cells += columns.length;
    for (const column of columns) used.add(column);
  }
  if (cells === 0) return '';
  const size = rows.length * used.size;
  if (size > SMALL_TABLE && size > cells * MAX_EMPTY_SHARE) return cellList(rows);
  const places = new Map(
    [...used].toSorted((one, other) => one - other).map((column, at) => [column, at]),
  );
  return markdownTable(
    rows.map(({ columns, texts }) => {
      const line: string[] = [];
      columns.forEach((column, at) => {
        const place = places.get(column) ?? 0;
        while (line.length < place) line.push('');
        line[place] = cellMarkdown(texts[at] ?? '');
      });
      return line;
    }),
  );
}

function cellList(rows: readonly SheetRow[]): string {
  return rows
    .map(({ number, columns, texts }) => {
      const cells = columns.map(
        (column, at) => `${columnName(column)}${number}: ${cellMarkdown(texts[at] ?? '')}`,
      );
      return `- ${cells.join('; ').replace(/\s*\n\s*/g, ' ')}`;
    })
    .join('\n');
}

export function cellMarkdown(text: string): string {
  if (!text.includes('\n')) return escapeText(collapse(text), 'text');
  return text
    .split(/\r?\n/)
    .map((line) => escapeText(collapse(line), 'text'))
    .join('\n');
}
