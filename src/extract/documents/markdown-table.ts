/**
 * Rows of cells as a GFM table; the first row is its head. Cells of one row stay on one line: line
 * breaks become `<br>`, pipes are escaped. Shorter rows are filled up.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return '';
  const [head = [], ...body] = rows;
  const rule = Array.from({ length: width }, () => '---');
  return [
    formatRow(head, width),
    `| ${rule.join(' | ')} |`,
    ...body.map((row) => formatRow(row, width)),
  ].join('\n');
}

function formatRow(cells: readonly string[], width: number): string {
  const filled = Array.from({ length: width }, (_, at) => escapeCell(cells[at] ?? ''));
  return `| ${filled.join(' | ')} |`;
}

function escapeCell(text: string): string {
  return text
    .trim()
    .replace(/\\?\|/g, String.raw`\|`)
    .replace(/\s*\r?\n\s*/g, '<br>');
}
