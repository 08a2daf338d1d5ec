import type { DocumentPart } from '#core/extract/document.ts';
import { notice } from '#core/messages/notices.ts';
import { tooLarge } from '../document-errors.ts';
import { textHeading, type OfficeBlock } from '../office/office-block.ts';
import { isPageSelected } from '../office/select-pages.ts';
import { writeOfficeBlocks } from '../office/write-blocks.ts';
import type { FormatReader } from '../reader.ts';
import { columnName, MAX_CELL_CHARS, MAX_CELLS, type SheetRow } from '../xlsx/sheet-cells.ts';
import { sheetTable } from '../xlsx/sheet-table.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { createOdfContext, type OdfContext } from './odf-context.ts';
import { readOdfInline } from './odf-inline.ts';
import { openOdf } from './odf-package.ts';
import { repeats, rowElements } from './odf-table.ts';

/** Spreadsheets: a part for each sheet, with the texts that the cells show. */
export const readOds: FormatReader = (bytes, source) => {
  const pack = openOdf(bytes, 'ODS', source);
  const context = createOdfContext(pack);
  const sheets = pack.body.elements('table');
  const size = { cells: 0, chars: 0 };
  const parts: DocumentPart[] = [];
  const hidden: string[] = [];
  sheets.forEach((sheet, at) => {
    const name = sheet.get('name') ?? `Sheet${at + 1}`;
    const isHidden = isHiddenSheet(sheet, pack.styleRoots);
    if (isHidden) hidden.push(`sheet "${name}"`);
    if (!isPageSelected(at + 1, source.pages)) return;
    const title = textHeading(2, isHidden ? `${name} (hidden)` : name);
    const rows = readRows(sheet, context, size);
    const anchored = readAnchored(sheet, context);
    const texts = [
      writeOfficeBlocks([title]),
      sheetTable(rows),
      writeOfficeBlocks([...anchored, ...context.takeNotes()]),
    ].filter((text) => text !== '');
    parts.push({
      place: { is: 'sheet', sheet: name, index: at + 1 },
      markdown: texts.join('\n\n'),
    });
  });
  return {
    ...pack.properties,
    pageCount: sheets.length,
    parts,
    notices: [
      ...pack.notices,
      ...(hidden.length === 0 ? [] : [notice('document_hidden_parts', { parts: hidden })]),
    ],
  };
};

function isHiddenSheet(sheet: XmlElement, roots: readonly XmlElement[]): boolean {
  const name = sheet.get('style-name');
  const style = roots[0]
    ?.child('automatic-styles')
    ?.elements('style')
    .find((each) => each.get('name') === name && each.get('family') === 'table');
  return style?.child('table-properties')?.get('display') === 'false';
}

function readRows(
  sheet: XmlElement,
  context: OdfContext,
  size: { cells: number; chars: number },
): SheetRow[] {
  const rows: SheetRow[] = [];
  let number = 1;
  for (const element of rowElements(sheet)) {
    const columns: number[] = [];
    const texts: string[] = [];
    let column = 0;
    for (const cell of element.elements()) {
      if (cell.name !== 'table-cell' && cell.name !== 'covered-table-cell') continue;
      const stated = Number(cell.get('number-columns-repeated') ?? 1) || 1;
      const text = cell.name === 'table-cell' ? cellText(cell, context, column, number) : '';
      const copies = text.trim() === '' ? 0 : repeats(cell, 'number-columns-repeated');
      for (let i = 0; i < copies; i++) {
        columns.push(column + i);
        texts.push(text);
      }
      column += Math.max(stated, 1);
    }
    const copies = texts.length === 0 ? 0 : repeats(element, 'number-rows-repeated');
    size.cells += copies * texts.length;
    size.chars += copies * texts.reduce((sum, { length }) => sum + length, 0);
    if (size.cells > MAX_CELLS) throw tooLarge('cells', MAX_CELLS);
    if (size.chars > MAX_CELL_CHARS) throw tooLarge('characters in cells', MAX_CELL_CHARS);
    for (let i = 0; i < copies; i++) rows.push({ number: number + i, columns, texts });
    number += Math.max(Number(element.get('number-rows-repeated') ?? 1) || 1, 1);
  }
  return rows;
}

const VALUES = ['string-value', 'date-value', 'time-value', 'boolean-value', 'value'] as const;

/** What the cell shows; a cell without a shown text has its value. */
function cellText(cell: XmlElement, context: OdfContext, column: number, row: number): string {
  const lines: string[] = [];
  for (const child of cell.elements()) {
    if (child.name === 'p') {
      const { runs } = readOdfInline(child, context);
      lines.push(runs.map(({ text }) => text).join(''));
    } else if (child.name === 'annotation')
      context.addComment(child, `${columnName(column)}${row}`);
  }
  const shown = lines.join('\n');
  if (shown.trim() !== '') return shown;
  return VALUES.map((name) => cell.get(name)).find((value) => value !== undefined) ?? '';
}

/** Text boxes and charts over the cells. */
function readAnchored(sheet: XmlElement, context: OdfContext): OfficeBlock[] {
  const shapes = sheet.child('shapes')?.elements() ?? [];
  const inCells = rowElements(sheet)
    .flatMap((row) => row.elements('table-cell'))
    .flatMap((cell) => cell.elements())
    .filter(({ name }) => /^(?:frame|g|custom-shape|rect|ellipse)$/.test(name));
  return [...shapes, ...inCells].flatMap((shape) => context.readShape(shape, context));
}
