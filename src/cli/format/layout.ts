import { displayWidth } from '../terminal/display-width.ts';

/** Below this width, wrapped text is harder to read than text that runs over the edge. */
const NARROWEST = 24;

/**
 * Rows as aligned columns. The last column is wrapped at words if `width`, the columns of the
 * terminal, is given; otherwise it is left unchanged.
 */
export function formatColumns(
  rows: readonly (readonly string[])[],
  indent = '  ',
  width = Number.POSITIVE_INFINITY,
): string {
  const widths: number[] = [];
  for (const row of rows) {
    // Nothing follows the last cell of a row, so its width does not matter.
    row
      .slice(0, -1)
      .forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell))));
  }
  return rows
    .map((row) => {
      const before = row.slice(0, -1).map((cell, index) => `${pad(cell, widths[index] ?? 0)}  `);
      const margin = indent.length + displayWidth(before.join(''));
      const lines = wrapCell(row.at(-1) ?? '', width - margin);
      return `${indent}${before.join('')}${lines.join(`\n${' '.repeat(margin)}`)}`;
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function wrapCell(text: string, width: number): string[] {
  if (width < NARROWEST || displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current === '' || displayWidth(longer) <= width) current = longer;
    else {
      lines.push(current);
      current = word;
    }
  }
  return [...lines, current];
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - displayWidth(cell));
}

const WIDTH = 80;

/**
 * Wraps prose at words to fit a terminal. Lines that fit stay unchanged, and so do indented ones:
 * they are commands to copy.
 */
export function wrapText(text: string, width = WIDTH): string {
  const fits = (line: string) => displayWidth(line) <= width || line.startsWith('  ');
  return text
    .split('\n')
    .map((line) => (fits(line) ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current === '' || displayWidth(longer) <= width) current = longer;
    else {
      lines.push(current);
      current = word;
    }
  }
  return [...lines, current].join('\n');
}
