import { ElementNode, type TreeNode } from '../tree/node.ts';
import { isHiddenElement } from './hidden.ts';
import { TextCounter } from './measure.ts';

/** The shown rows of a table that are its own, not those of a table inside it. */
export function rowsOf(table: ElementNode): ElementNode[] {
  const rows: ElementNode[] = [];
  for (const child of table.children) {
    if (!isShown(child)) continue;
    if (child.name === 'tr') rows.push(child);
    else if (child.name === 'thead' || child.name === 'tbody' || child.name === 'tfoot')
      for (const row of child.children) if (isShown(row) && row.name === 'tr') rows.push(row);
  }
  return rows;
}

export function cellsOf(row: ElementNode): ElementNode[] {
  return row.children.filter(
    (child): child is ElementNode => isShown(child) && (child.name === 'td' || child.name === 'th'),
  );
}

function isShown(node: TreeNode): node is ElementNode {
  return node instanceof ElementNode && !isHiddenElement(node);
}

const BLOCKS_OF_PAGES = new Set([
  'table',
  'form',
  'h1',
  'h2',
  'h3',
  'article',
  'section',
  'pre',
  'nav',
  'hr',
  'blockquote',
]);

/**
 * Whether a table holds data. Tables of old pages place the parts of a page beside each other; they
 * are read like any other container.
 */
export function isDataTable(table: ElementNode): boolean {
  const role = table.get('role');
  if (role === 'presentation' || role === 'none') return false;
  const rows = rowsOf(table);
  let cells = 0;
  let widest = 0;
  let rich = 0;
  let hasHeader = false;
  for (const row of rows) {
    const own = cellsOf(row);
    cells += own.length;
    if (own.length > widest) widest = own.length;
    for (const cell of own) {
      if (cell.name === 'th') hasHeader = true;
      if (!cell.hasBlock) continue;
      const content = contentOf(cell);
      if (content === 'page') return false;
      if (content === 'paragraphs') rich++;
    }
  }
  if (widest < 2 || cells < 2) return false;
  return rich * 3 <= cells && (hasHeader || !isListOfLinks(table));
}

/** Rows of links without a header: a list of results that is laid out as a table. */
function isListOfLinks(table: ElementNode): boolean {
  const counter = new TextCounter();
  counter.addChildren(table, 'text');
  return counter.linkChars * 2 > counter.chars;
}

/** What the blocks of a cell are: single ones, several paragraphs, or parts of a page. */
function contentOf(cell: ElementNode): 'simple' | 'paragraphs' | 'page' {
  let paragraphs = 0;
  const open = [cell];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const child of at.children) {
      if (!(child instanceof ElementNode)) continue;
      if (BLOCKS_OF_PAGES.has(child.name)) return 'page';
      if (child.name === 'p' || child.name === 'ul' || child.name === 'ol' || child.name === 'dl')
        paragraphs++;
      if (child.hasBlock) open.push(child);
    }
  return paragraphs > 1 ? 'paragraphs' : 'simple';
}
