import { tooLarge } from '../document-errors.ts';
import { writeTable } from '../markdown-table.ts';
import type { FormatReader } from '../reader.ts';
import { readDecoded } from './decoded.ts';
import { findDelimiter, parseCsv } from './parse-csv.ts';

/** A row with more cells is not a table, and would be repeated for every shorter row. */
const MAX_CELLS = 20_000_000;

/** Separated values as one table. */
export const readCsv: FormatReader = (bytes, source) => {
  const { text, notices } = readDecoded(bytes, source);
  const values = text.replace(/^sep=.\r?\n/, '');
  const delimiter = findDelimiter(text) ?? ',';
  // Parsed twice, so that the cells of a long table are never in memory together.
  let [width, rows] = [0, 0];
  for (const { length } of parseCsv(values, delimiter)) {
    width = Math.max(width, length);
    rows += 1;
  }
  if (width * rows > MAX_CELLS) throw tooLarge('cells', MAX_CELLS);
  const markdown = writeTable(parseCsv(values, delimiter), width);
  return { parts: [{ place: { is: 'document' }, markdown }], notices };
};
