import { tooLarge } from '../document-errors.ts';
import { markdownTable } from '../markdown-table.ts';
import type { FormatReader } from '../reader.ts';
import { readDecoded } from './decoded.ts';
import { findDelimiter, parseCsv } from './parse-csv.ts';

/** A row with more cells is not a table, and would be repeated for every shorter row. */
const MAX_CELLS = 20_000_000;

/** Separated values as one table. */
export const readCsv: FormatReader = (bytes, source) => {
  const { text, notices } = readDecoded(bytes, source);
  const rows = parseCsv(text.replace(/^sep=.\r?\n/, ''), findDelimiter(text) ?? ',');
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width * rows.length > MAX_CELLS) throw tooLarge('cells', MAX_CELLS);
  return { parts: [{ place: { is: 'document' }, markdown: markdownTable(rows) }], notices };
};
