import { appendAll } from '../office/append-all.ts';
import {
  EMPTY_CELL,
  type OfficeBlock,
  type OfficeCell,
  type OfficeRun,
} from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import type { DocxContext } from './docx-context.ts';
import { readParagraphContent } from './paragraph-runs.ts';
import { outlineLevel } from './styles.ts';

/** A wider cell is a mistake or an attack. */
const MAX_SPAN = 200;

/** The blocks of a body, a cell, a note or a text box. */
export function readDocxBlocks(container: XmlElement, context: DocxContext): OfficeBlock[] {
  const blocks: OfficeBlock[] = [];
  addBlocks(container, context, blocks);
  return blocks;
}

function addBlocks(container: XmlElement, context: DocxContext, blocks: OfficeBlock[]): void {
  for (const element of container.elements()) {
    switch (element.name) {
      case 'p':
        addParagraph(element, context, blocks);
        break;
      case 'tbl':
        blocks.push({ kind: 'table', rows: readRows(element, context) });
        break;
      case 'altChunk':
        context.skipped.add('an embedded document');
        break;
      case 'AlternateContent': {
        const inner = element.child('Choice') ?? element.child('Fallback');
        if (inner !== undefined) addBlocks(inner, context, blocks);
        break;
      }
      case 'oMathPara':
      case 'oMath':
      case 'r':
        addParagraph(wrap(element), context, blocks);
        break;
      case 'del':
      case 'moveFrom':
      case 'sectPr':
      case 'sdtPr':
        break;
      case 'commentRangeStart':
        context.comments.open(element.get('id') ?? '');
        break;
      case 'commentRangeEnd':
        context.comments.close(element.get('id') ?? '');
        break;
      default:
        // Content controls, custom XML, insertions.
        addBlocks(element, context, blocks);
    }
  }
}

function wrap(element: XmlElement): XmlElement {
  const Wrapper = element.constructor as typeof XmlElement;
  const paragraph = new Wrapper('p', undefined);
  paragraph.children.push(element);
  return paragraph;
}

function addParagraph(paragraph: XmlElement, context: DocxContext, blocks: OfficeBlock[]): void {
  const { runs, anchored } = readParagraphContent(paragraph, context, readDocxBlocks);
  context.comments.addText(' ');
  if (runs.some(({ text }) => text.trim() !== ''))
    blocks.push(paragraphBlock(paragraph, runs, context));
  appendAll(blocks, anchored);
}

function paragraphBlock(
  paragraph: XmlElement,
  runs: readonly OfficeRun[],
  { styles, lists }: DocxContext,
): OfficeBlock {
  const properties = paragraph.child('pPr');
  const styleId = properties?.child('pStyle')?.get('val');
  const style = styles.paragraph(styleId);
  const heading = outlineLevel(properties) ?? style.heading ?? 0;
  const own = properties?.child('numPr');
  const listId = own?.child('numId')?.get('val') ?? style.numbering?.id;
  const stated = Number(own?.child('ilvl')?.get('val') ?? Number.NaN);
  const level = Number.isInteger(stated)
    ? stated
    : (style.numbering?.level ??
      (listId === undefined || styleId === undefined
        ? undefined
        : lists.levelOfStyle(listId, styleId)) ??
      0);
  const label = listId === undefined ? undefined : lists.next(listId, level);
  if (heading > 0)
    return {
      kind: 'heading',
      level: heading,
      runs: label === undefined || label === '' ? runs : [{ text: `${label} ` }, ...runs],
    };
  if (label === undefined) return { kind: 'paragraph', runs };
  return { kind: 'item', level, runs, ...(label !== '' && { label }) };
}

/** Rows may be wrapped in content controls and insertions. */
function readRows(table: XmlElement, context: DocxContext): OfficeCell[][] {
  const rows: OfficeCell[][] = [];
  for (const element of table.elements()) {
    if (element.name === 'tr') {
      if (element.path('trPr', 'del') === undefined) rows.push(readRow(element, context));
    } else if (!/^(?:tblPr|tblGrid|del|moveFrom|sdtPr)$/.test(element.name))
      appendAll(rows, readRows(element, context));
  }
  return rows;
}

function readRow(row: XmlElement, context: DocxContext): OfficeCell[] {
  const cells: OfficeCell[] = [];
  const skip = (count: number): void => {
    for (let i = 0; i < Math.min(count, MAX_SPAN); i++) cells.push(EMPTY_CELL);
  };
  skip(Number(row.path('trPr', 'gridBefore')?.get('val') ?? 0) || 0);
  for (const cell of cellsOf(row)) {
    const properties = cell.child('tcPr');
    const vertical = properties?.child('vMerge');
    const horizontal = properties?.child('hMerge');
    const isCovered = [vertical, horizontal].some(
      (merge) => merge !== undefined && (merge.get('val') ?? 'continue') === 'continue',
    );
    const blocks = readDocxBlocks(cell, context);
    cells.push(isCovered && blocks.length === 0 ? EMPTY_CELL : blocks);
    skip((Number(properties?.child('gridSpan')?.get('val') ?? 1) || 1) - 1);
  }
  return cells;
}

function cellsOf(row: XmlElement): XmlElement[] {
  const cells: XmlElement[] = [];
  for (const element of row.elements()) {
    if (element.name === 'tc') cells.push(element);
    else if (!/^(?:trPr|tblPrEx|del|sdtPr)$/.test(element.name)) appendAll(cells, cellsOf(element));
  }
  return cells;
}
