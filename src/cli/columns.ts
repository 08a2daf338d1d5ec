/** Narrower than this, a broken text is harder to read than one that runs over the edge. */
const NARROWEST = 24;

/**
 * Rows as aligned columns. The last column is left as it is, so that long text ends where it ends; or is broken at
 * words where `width`, the characters of a line, is given.
 */
export function columns(
  rows: readonly (readonly string[])[],
  indent = '  ',
  width = Number.POSITIVE_INFINITY,
): string {
  const widths: number[] = [];
  for (const row of rows) {
    // Nothing follows the last cell of a row, so nobody needs to know how wide it is.
    row
      .slice(0, -1)
      .forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))));
  }
  return rows
    .map((row) => {
      const before = row.slice(0, -1).map((cell, index) => `${pad(cell, widths[index] ?? 0)}  `);
      const margin = indent.length + widthOf(before.join(''));
      const lines = fill(row.at(-1) ?? '', width - margin);
      return `${indent}${before.join('')}${lines.join(`\n${' '.repeat(margin)}`)}`;
    })
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function fill(text: string, width: number): string[] {
  if (width < NARROWEST || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current === '' || widthOf(longer) <= width) current = longer;
    else {
      lines.push(current);
      current = word;
    }
  }
  return [...lines, current];
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - widthOf(cell));
}

/** Colours take no room. */
function widthOf(cell: string): number {
  // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
  return cell.replaceAll(/\u001B\[\d+m/g, '').length;
}
