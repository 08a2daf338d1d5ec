import { appendAll } from '../office/append-all.ts';
import { EMPTY_CELL, type OfficeBlock, type OfficeCell } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import type { OdfContext } from './odf-context.ts';

/** Rows and cells that repeat more often than this fill the sheet, not the text. */
const MAX_REPEATS = 1000;

export function readOdfTable(table: XmlElement, context: OdfContext): OfficeBlock {
  const rows: OfficeCell[][] = [];
  for (const row of rowElements(table)) {
    const cells: OfficeCell[] = [];
    for (const cell of row.elements()) {
      if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue;
      const blocks = cell.name === 'table-cell' ? context.readBlocks(cell, context) : EMPTY_CELL;
      for (let i = 0; i < repeats(cell, 'number-columns-repeated'); i++) cells.push(blocks);
    }
    while (cells.at(-1)?.length === 0) cells.pop();
    const isEmpty = cells.length === 0;
    for (let i = 0; i < (isEmpty ? 0 : repeats(row, 'number-rows-repeated')); i++) rows.push(cells);
  }
  return { kind: 'table', rows };
}

export function repeats(
  element: XmlElement,
  name: 'number-columns-repeated' | 'number-rows-repeated',
): number {
  const count = Number(element.get(name) ?? 1) || 1;
  return Math.min(Math.max(count, 1), MAX_REPEATS);
}

/** Rows may be in groups and in the head of a table. */
export function rowElements(table: XmlElement): XmlElement[] {
  const rows: XmlElement[] = [];
  for (const element of table.elements()) {
    if (element.name === 'table-row') rows.push(element);
    else if (/^table-(?:header-rows|rows|row-group)$/.test(element.name))
      appendAll(rows, rowElements(element));
  }
  return rows;
}
