/**
 * Rows of cells as a GFM table; the first row is its head. Cells of one row stay on one line: line
 * breaks become `<br>`, pipes are escaped. Shorter rows are filled up.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  return writeTable(
    rows,
    rows.reduce((most, row) => Math.max(most, row.length), 0),
  );
}

/** Rows that are joined at a time: a table of millions of rows is not held line by line. */
const ROWS_AT_ONCE = 10_000;

/** The same of rows that are made one after another; `width` is that of the longest. */
export function writeTable(rows: Iterable<readonly string[]>, width: number): string {
  if (width === 0) return '';
  const blocks: string[] = [];
  let lines: string[] = [];
  let isHead = true;
  for (const row of rows) {
    lines.push(formatRow(row, width));
    if (isHead) lines.push(`|${' --- |'.repeat(width)}`);
    isHead = false;
    if (lines.length < ROWS_AT_ONCE) continue;
    blocks.push(lines.join('\n'));
    lines = [];
  }
  if (lines.length > 0) blocks.push(lines.join('\n'));
  return blocks.join('\n');
}

function formatRow(cells: readonly string[], width: number): string {
  let line = '|';
  for (let at = 0; at < width; at += 1) line += ` ${escapeCell(cells[at] ?? '')} |`;
  return line;
}

function escapeCell(text: string): string {
  const trimmed = text.trim();
  if (!/[|\n]/.test(trimmed)) return trimmed;
  return trimmed.replace(/\\?\|/g, String.raw`\|`).replace(/\s*\r?\n\s*/g, '<br>');
}
