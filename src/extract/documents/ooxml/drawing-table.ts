import { EMPTY_CELL, type OfficeBlock, type OfficeCell } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readDrawingText, type DrawingTextOptions } from './drawing-text.ts';

/** A table of a slide; a merged cell leaves the others of its area empty. */
export function readDrawingTable(table: XmlElement, options: DrawingTextOptions): OfficeBlock {
  const rows = table.elements('tr').map((row) =>
    row.elements('tc').map((cell): OfficeCell => {
      const isCovered = [cell.get('hMerge'), cell.get('vMerge')].some(
        (value) => value === '1' || value === 'true',
      );
      const body = cell.child('txBody');
      return isCovered || body === undefined ? EMPTY_CELL : readDrawingText(body, options);
    }),
  );
  return { kind: 'table', rows };
}
