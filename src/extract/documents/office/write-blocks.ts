import { escapeLineStart, escapeText } from '../../html/markdown/escape.ts';
import { markdownTable } from '../markdown-table.ts';
import type { OfficeBlock, OfficeCell } from './office-block.ts';
import { writeRuns } from './write-runs.ts';

type Item = Extract<OfficeBlock, { kind: 'item' }>;

/** Blocks as Markdown, separated by empty lines; the items of a list follow each other. */
export function writeOfficeBlocks(blocks: readonly OfficeBlock[]): string {
  const texts: string[] = [];
  const lists = createListIndents();
  let isAfterItem = false;
  for (const block of blocks) {
    if (block.kind === 'item') {
      const text = lists.write(block);
      if (text === '') continue;
      if (isAfterItem) texts[texts.length - 1] += `\n${text}`;
      else texts.push(text);
      isAfterItem = true;
      continue;
    }
    const text = blockText(block);
    if (text === '') continue;
    texts.push(text);
    lists.end();
    isAfterItem = false;
  }
  return texts.join('\n\n');
}

function blockText(block: Exclude<OfficeBlock, Item>): string {
  switch (block.kind) {
    case 'heading':
      return headingText(block.level, oneLine(writeRuns(block.runs, 'plain')));
    case 'paragraph':
      return paragraphText(writeRuns(block.runs, 'marked'));
    case 'table':
      return tableText(block.rows);
    case 'note':
      return noteText(block.label, writeOfficeBlocks(block.blocks));
    default:
      return block satisfies never;
  }
}

function headingText(level: number, text: string): string {
  if (text === '') return '';
  // A closing run of # belongs to the syntax.
  const kept = text.replace(/#+$/, (run) => run.replaceAll('#', String.raw`\#`));
  return `${'#'.repeat(Math.min(Math.max(level, 1), 6))} ${kept}`;
}

/** Line breaks are hard breaks. */
function paragraphText(text: string): string {
  if (!text.includes('\n')) return escapeLineStart(text);
  return text
    .split(/\n\s*\n/)
    .map((part) => part.split('\n').map(escapeLineStart).join('  \n'))
    .join('\n\n');
}

function noteText(label: string, text: string): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : `    ${line}`));
  return text === '' ? '' : `[^${label}]: ${lines.join('\n').trimStart()}`;
}

function tableText(rows: readonly (readonly OfficeCell[])[]): string {
  const [only] = rows;
  // A table of one cell is a frame around its content.
  if (rows.length === 1 && only?.length === 1) return writeOfficeBlocks(only[0] ?? []);
  const texts = rows
    .map((row) => row.map(cellText))
    .filter((row) => row.some((text) => text !== ''));
  return texts.length === 0 ? '' : markdownTable(texts);
}

/** The content of a cell, with a line for each of its blocks. */
function cellText(cell: OfficeCell): string {
  const lines: string[] = [];
  for (const block of cell) {
    if (block.kind === 'table')
      for (const row of block.rows)
        lines.push(
          row
            .map(cellText)
            .filter((text) => text !== '')
            .join(' | '),
        );
    else if (block.kind === 'note') lines.push(blockText(block));
    else if (block.kind === 'item')
      lines.push(
        `${block.label ?? (cell.length === 1 ? '' : '-')} ${writeRuns(block.runs, 'marked')}`,
      );
    else lines.push(writeRuns(block.runs, 'marked'));
  }
  return lines.filter((line) => line.trim() !== '' && line.trim() !== '-').join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

const MARKDOWN_NUMBER = /^\d{1,9}[.)]$/;

/** Markdown has numbers only; other labels are the first word of an item with a bullet. */
function markerOf(label: string | undefined): string {
  if (label === undefined || label === '') return '- ';
  return MARKDOWN_NUMBER.test(label) ? `${label} ` : `- ${escapeText(label, 'text')} `;
}

interface ListIndents {
  write(item: Item): string;
  end(): void;
}

/** An item is indented by the markers of the items around it. */
function createListIndents(): ListIndents {
  const open: { level: number; width: number }[] = [];
  return {
    write(item) {
      const text = writeRuns(item.runs, 'marked');
      if (text === '') return '';
      while ((open.at(-1)?.level ?? -1) >= item.level) open.pop();
      const indent = ' '.repeat(open.reduce((sum, { width }) => sum + width, 0));
      const marker = markerOf(item.label);
      const width = MARKDOWN_NUMBER.test(marker.trim()) ? marker.length : 2;
      open.push({ level: item.level, width });
      const inner = indent + ' '.repeat(width);
      const lines = text.split(/\n+/).map(escapeLineStart);
      return `${indent}${marker}${lines.join(`  \n${inner}`)}`;
    },
    end() {
      open.length = 0;
    },
  };
}
