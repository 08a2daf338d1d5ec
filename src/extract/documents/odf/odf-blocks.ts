import { appendAll } from '../office/append-all.ts';
import type { OfficeBlock, OfficeRun } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import type { OdfContext } from './odf-context.ts';
import { readOdfInline } from './odf-inline.ts';
import { readOdfTable } from './odf-table.ts';

/** Not text of the document: deletions, declarations, properties of comments. */
const SKIPPED = new Set([
  'tracked-changes',
  'forms',
  'sequence-decls',
  'variable-decls',
  'user-field-decls',
  'creator',
  'date',
  'date-string',
  'creator-initials',
  'index-source',
  'table-of-content-source',
  'illustration-index-source',
  'table-index-source',
  'alphabetical-index-source',
  'bibliography-source',
  'user-index-source',
  'object-index-source',
]);

const SHAPES =
  /^(?:frame|g|custom-shape|rect|ellipse|circle|line|connector|polygon|polyline|path|caption|control)$/;

/** The blocks of a text, section, cell, note or text box. */
export function readOdfBlocks(container: XmlElement, context: OdfContext): OfficeBlock[] {
  const blocks: OfficeBlock[] = [];
  for (const element of container.elements()) {
    if (SKIPPED.has(element.name)) continue;
    switch (element.name) {
      case 'p':
      case 'h':
        appendAll(blocks, readParagraph(element, context));
        break;
      case 'list':
        addList(element, { style: undefined, counts: [] }, blocks, context);
        break;
      case 'numbered-paragraph':
        appendAll(blocks, readOdfBlocks(element, context));
        break;
      case 'table':
        blocks.push(readOdfTable(element, context));
        break;
      case 'annotation':
        context.addComment(element);
        break;
      default:
        if (SHAPES.test(element.name)) appendAll(blocks, context.readShape(element, context));
        else appendAll(blocks, readOdfBlocks(element, context));
    }
  }
  return blocks;
}

function readParagraph(element: XmlElement, context: OdfContext): OfficeBlock[] {
  const { runs, anchored } = readOdfInline(element, context);
  if (!hasText(runs)) return anchored;
  const level =
    element.name === 'h'
      ? Number(element.get('outline-level') ?? 1) || 1
      : context.styles.heading(element.get('style-name'));
  const block: OfficeBlock =
    level === undefined ? { kind: 'paragraph', runs } : { kind: 'heading', level, runs };
  return [block, ...anchored];
}

function hasText(runs: readonly OfficeRun[]): boolean {
  return runs.some(({ text }) => text.trim() !== '');
}

interface ListState {
  readonly style: string | undefined;
  /** The numbers of the levels so far. */
  readonly counts: readonly number[];
}

function addList(
  list: XmlElement,
  around: ListState,
  blocks: OfficeBlock[],
  context: OdfContext,
): void {
  const style = list.get('style-name') ?? around.style;
  const level = around.counts.length;
  const continued =
    list.get('continue-numbering') === 'true' || list.get('continue-list') !== undefined
      ? context.listCounts.get(style ?? '')?.[level]
      : undefined;
  let count = continued ?? context.styles.start(style, level) - 1;
  for (const item of list.elements()) {
    if (item.name !== 'list-item' && item.name !== 'list-header') continue;
    if (item.name === 'list-item')
      count = Number(item.get('start-value') ?? Number.NaN) || count + 1;
    const counts = [...around.counts, count];
    addItem(item, { style, counts }, blocks, context);
    if (style !== undefined) context.listCounts.set(style, counts);
  }
}

/** The first paragraph of an item has its label; further ones are lines of the same item. */
function addItem(
  item: XmlElement,
  state: ListState,
  blocks: OfficeBlock[],
  context: OdfContext,
): void {
  const label = item.name === 'list-item' ? context.styles.label(state.style, state.counts) : '';
  const level = state.counts.length - 1;
  let lines: OfficeRun[] = [];
  const flush = (): void => {
    if (lines.length > 0)
      blocks.push({ kind: 'item', level, runs: lines, ...(label !== '' && { label }) });
    lines = [];
  };
  for (const element of item.elements()) {
    if (element.name === 'list') {
      flush();
      addList(element, state, blocks, context);
    } else if (element.name === 'p') {
      const { runs, anchored } = readOdfInline(element, context);
      if (hasText(runs)) lines = lines.length === 0 ? runs : [...lines, { text: '\n' }, ...runs];
      if (anchored.length === 0) continue;
      flush();
      appendAll(blocks, anchored);
    } else {
      flush();
      for (const block of element.name === 'h' ? readParagraph(element, context) : [])
        blocks.push(numbered(block, label));
    }
  }
  flush();
}

function numbered(block: OfficeBlock, label: string): OfficeBlock {
  return block.kind === 'heading' && label !== ''
    ? { ...block, runs: [{ text: `${label} ` }, ...block.runs] }
    : block;
}
