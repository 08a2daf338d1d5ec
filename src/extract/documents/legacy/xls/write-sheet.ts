import { tooLarge } from '../../document-errors.ts';
import { withoutControls } from '../../flow-writer.ts';
import { escapeInline } from '../../inline-builder.ts';
import { markdownTable } from '../../markdown-table.ts';
import type { SheetCells } from './sheet-cells.ts';

/** Cells of the written table, with the empty ones between the others. */
const MAX_TABLE_CELLS = 20_000_000;

/** A sheet as tables: an empty row ends one, empty columns are left out. */
export function writeSheet(sheet: SheetCells): string {
  const tables: string[] = [];
  let group: ReadonlyMap<number, string>[] = [];
  let previous = -2;
  let written = 0;
  const end = (): void => {
    if (group.length > 0) tables.push(writeGroup(group));
    group = [];
  };
  for (const number of [...sheet.rows.keys()].toSorted((a, b) => a - b)) {
    const row = sheet.rows.get(number) ?? new Map<number, string>();
    if (number !== previous + 1) end();
    previous = number;
    group.push(row);
    written += row.size;
    if (written > MAX_TABLE_CELLS) throw tooLarge('cells', MAX_TABLE_CELLS);
  }
  end();
  const texts = [...sheet.texts, ...sheet.headers].map((text) =>
    escapeInline(withoutControls(text.replace(/\r\n?/g, '\n')).trim()),
  );
  return [...tables, ...texts].filter((part) => part !== '').join('\n\n');
}

function writeGroup(group: readonly ReadonlyMap<number, string>[]): string {
  const used = new Set<number>();
  for (const row of group) for (const column of row.keys()) used.add(column);
  const columns = [...used].toSorted((a, b) => a - b);
  if (columns.length * group.length > MAX_TABLE_CELLS) throw tooLarge('cells', MAX_TABLE_CELLS);
  return markdownTable(
    group.map((row) =>
      columns.map((column) =>
        escapeInline(withoutControls((row.get(column) ?? '').replace(/\r\n?/g, '\n'))),
      ),
    ),
  );
}
