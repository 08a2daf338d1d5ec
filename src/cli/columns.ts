/** Rows as aligned columns. The last column is left as it is, so that long text ends where it ends. */
export function columns(rows: readonly (readonly string[])[], indent = '  '): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, width(cell))));
  }
  return rows
    .map((row) => `${indent}${row.map((cell, index) => pad(cell, widths, index, row)).join('  ')}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function pad(cell: string, widths: readonly number[], index: number, row: readonly string[]) {
  if (index === row.length - 1) return cell;
  return cell + ' '.repeat((widths[index] ?? 0) - width(cell));
}

/** Colours take no room. */
function width(cell: string): number {
  // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
  return cell.replaceAll(/\u001B\[\d+m/g, '').length;
}
