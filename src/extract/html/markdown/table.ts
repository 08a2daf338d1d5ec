import { CallError } from '#core/errors/call-error.ts';
import { cellsOf, rowsOf } from '../blocks/data-table.ts';
import { isHiddenElement } from '../blocks/hidden.ts';
import { ElementNode } from '../tree/node.ts';
import { inlineMarkdown, type InlineMarkdownOptions } from './inline.ts';

/** Longer spans than this are mistakes or attacks; browsers have a limit, too. */
const MAX_SPAN = 1000;
const MAX_COLUMNS = 1000;
/** Empty cells that spans may add to one table: a short page must not become a huge one. */
const MAX_ADDED_CELLS = 1_000_000;

/** A table in GFM; its caption is a paragraph before it. */
export function tableMarkdown(table: ElementNode, options: InlineMarkdownOptions): string {
  const rows = rowsOf(table);
  const grid = gridOf(rows, options);
  const width = grid.reduce((most, row) => Math.max(most, row.length), 1);
  const hasHeader = rows[0] !== undefined && isHeader(rows[0]);
  const head = hasHeader ? (grid[0] as string[]) : [];
  const lines = [
    line(head, width),
    line(
      Array.from({ length: width }, () => '---'),
      width,
    ),
  ];
  // Cells that are missing at the end of a row need not be written, except in the first two lines.
  for (const row of hasHeader ? grid.slice(1) : grid) lines.push(line(row, filledCells(row)));
  const caption = captionOf(table, options);
  return caption === '' ? lines.join('\n') : `${caption}\n\n${lines.join('\n')}`;
}

function line(cells: readonly string[], width: number): string {
  let text = '|';
  for (let i = 0; i < width; i++) text += ` ${cells[i] ?? ''} |`;
  return text;
}

function filledCells(row: readonly string[]): number {
  return Math.max(1, row.findLastIndex((cell) => cell !== '') + 1);
}

function isHeader(row: ElementNode): boolean {
  if (row.parent?.name === 'thead') return true;
  const cells = cellsOf(row);
  return cells.length > 0 && cells.every(({ name }) => name === 'th');
}

/** Cells by row and column: a cell over several columns or rows leaves the others empty. */
function gridOf(rows: readonly ElementNode[], options: InlineMarkdownOptions): string[][] {
  const reserved: number[] = [];
  let added = 0;
  const addEmpty = (cells: string[]): void => {
    cells.push('');
    if (++added > MAX_ADDED_CELLS) throw tooManyCells();
  };
  return rows.map((row) => {
    const cells: string[] = [];
    const own = cellsOf(row);
    const skipReserved = (): void => {
      while ((reserved[cells.length] ?? 0) > 0 && cells.length < MAX_COLUMNS) {
        reserved[cells.length] = (reserved[cells.length] as number) - 1;
        addEmpty(cells);
      }
    };
    for (const cell of own) {
      skipReserved();
      const columns = span(cell, 'colspan');
      const below = span(cell, 'rowspan') - 1;
      cells.push(cellMarkdown(cell, options));
      if (below > 0) reserved[cells.length - 1] = below;
      for (let i = 1; i < columns && cells.length < MAX_COLUMNS; i++) {
        addEmpty(cells);
        if (below > 0) reserved[cells.length - 1] = below;
      }
    }
    skipReserved();
    return cells;
  });
}

function tooManyCells(): CallError {
  return new CallError(
    'too_large',
    `The cells of a table span more than ${MAX_ADDED_CELLS} columns and rows. Nothing was extracted.`,
    { field: 'page', fix: 'Read a smaller page, or a part of this one.' },
  );
}

function span(cell: ElementNode, name: 'colspan' | 'rowspan'): number {
  const value = Number.parseInt(cell.get(name) ?? '1', 10);
  return value > 1 ? Math.min(value, MAX_SPAN) : 1;
}

function cellMarkdown(cell: ElementNode, options: InlineMarkdownOptions): string {
  return inlineMarkdown(cell.children, options)
    .trim()
    .replace(/(?<!\\)\\*\|/g, escapePipe)
    .replace(/\n+/g, '<br>');
}

/** After a backslash, another one would not escape the pipe. */
function escapePipe(match: string): string {
  return match.length === 1 ? String.raw`\|` : `${match.slice(0, -1)}&#124;`;
}

function captionOf(table: ElementNode, options: InlineMarkdownOptions): string {
  const caption = table.children.find(
    (child) => child instanceof ElementNode && child.name === 'caption',
  );
  if (!(caption instanceof ElementNode) || isHiddenElement(caption)) return '';
  return inlineMarkdown(caption.children, options)
    .trim()
    .replace(/\s*\n\s*/g, ' ');
}
