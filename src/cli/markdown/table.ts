import { displayWidth } from '../terminal/display-width.ts';
import { createInlineReader } from './inline.ts';
import { createLineFlow } from './line-flow.ts';
import type { MarkdownStyle } from './markdown-style.ts';

type Alignment = 'left' | 'right' | 'center';

export interface TableOptions {
  readonly style: MarkdownStyle;
  /** Writes a line, with what every line of the table begins with. */
  readonly writeLine: (line: string) => void;
  /** The columns that a line of the table may take. */
  readonly columns: () => number;
}

/** A table, written when its columns are known. */
export interface TableWriter {
  addRow(line: string): void;
  end(): void;
}

/** So many rows decide how wide the columns are; more are written as they come. */
const MEASURED_ROWS = 200;
const MEASURED_CHARS = 65_536;
/** A narrower column cannot be read. */
const MIN_CELL_COLUMNS = 8;
const GAP_COLUMNS = 3;
const LINE_BREAK = /<br\s*\/?>/gi;

export function createTableWriter(
  header: string,
  delimiters: string,
  options: TableOptions,
): TableWriter {
  const names = splitRow(header);
  const alignments = splitRow(delimiters).map(alignmentOf);
  let waiting: (readonly string[])[] = [];
  let waitingChars = 0;
  let rows: RowWriter | undefined;

  function flush(): RowWriter {
    rows ??= createRowWriter(names, alignments, waiting, options);
    for (const row of waiting) rows.write(row);
    waiting = [];
    return rows;
  }

  return {
    addRow(line) {
      waiting.push(splitRow(line));
      waitingChars += line.length;
      const isMeasured = waiting.length >= MEASURED_ROWS || waitingChars >= MEASURED_CHARS;
      if (rows || isMeasured) flush();
    },
    end: () => flush().end(),
  };
}

interface RowWriter {
  write(cells: readonly string[]): void;
  end(): void;
}

/** The cells of a row; `\|` is part of a cell. */
function splitRow(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const text = line.trim();
  for (let at = text.startsWith('|') ? 1 : 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\' && text[at + 1] === '|') {
      cell += '|';
      at += 1;
    } else if (char === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += char;
  }
  if (cell.trim() !== '' || !text.endsWith('|')) cells.push(cell.trim());
  return cells;
}

/** Whether this row, below another, makes a table of both. */
export function isDelimiterRow(line: string): boolean {
  const text = line.trim();
  if (!/^\|?[ \t]*:?-[-:| \t]*$/.test(text)) return false;
  return splitRow(text).every((cell) => /^:?-+:?$/.test(cell));
}

function alignmentOf(cell: string): Alignment {
  if (!cell.endsWith(':')) return 'left';
  return cell.startsWith(':') ? 'center' : 'right';
}

function createRowWriter(
  names: readonly string[],
  alignments: readonly Alignment[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): RowWriter {
  const { style, writeLine } = options;
  const columns = options.columns();
  const count = rows.reduce((most, row) => Math.max(most, row.length), names.length);
  const isNarrow = count * (1 + GAP_COLUMNS) > columns;
  const widths = isNarrow ? undefined : fitColumns(count, [names, ...rows], columns, style);
  if (!widths) return createRecordWriter(names, options);

  const { paint, symbols } = style;
  const separator = paint('dim', ` ${symbols.column} `);
  const line = (left: string) =>
    paint('dim', widths.map((width) => symbols.rule.repeat(width)).join(left));
  let wasTall = false;

  function write(cells: readonly string[], kind: 'header' | 'row'): boolean {
    const last = [...cells.slice(0, count - 1), cells.slice(count - 1).join(' | ')];
    const lines = widths?.map((width, at) => layOut(last[at] ?? '', width, kind, style)) ?? [];
    const height = lines.reduce((most, { length }) => Math.max(most, length), 1);
    for (let row = 0; row < height; row += 1) {
      const texts = lines.map((cell, at) =>
        align(cell[row] ?? '', widths?.[at] ?? 0, alignments[at] ?? 'left'),
      );
      writeLine(texts.join(separator).trimEnd());
    }
    return height > 1;
  }

  write(names, 'header');
  const cross = `${symbols.rule}${symbols.cross}${symbols.rule}`;
  writeLine(line(cross));
  return {
    write(cells) {
      // Rows of several lines are told apart by a line between them.
      if (wasTall) writeLine(line(cross));
      wasTall = write(cells, 'row');
    },
    end: () => undefined,
  };
}

/** Each row as a list of names and values, where the columns do not fit side by side. */
function createRecordWriter(
  names: readonly string[],
  { style, writeLine, columns }: TableOptions,
): RowWriter {
  let isFirst = true;
  const heads = names.map((name) =>
    layOut(name, Number.POSITIVE_INFINITY, 'header', style).join(' '),
  );

  function write(cells: readonly string[]): void {
    if (!isFirst) writeLine(style.paint('dim', style.symbols.rule.repeat(3)));
    // The first row has all names, even those that no value belongs to.
    const count = isFirst ? Math.max(cells.length, heads.length) : cells.length;
    isFirst = false;
    for (let at = 0; at < count; at += 1) {
      const [cell = '', name = ''] = [cells[at], heads[at]];
      if (cell === '' && name === '') continue;
      const lines = layOut(cell, columns(), 'row', style, name === '' ? '' : `${name}: `);
      for (const line of lines) writeLine(line.trimEnd());
    }
  }

  return { write, end: () => void (isFirst && write([])) };
}

/** Divides the room: narrow columns keep their width, the others share the rest. */
function fitColumns(
  count: number,
  rows: readonly (readonly string[])[],
  columns: number,
  style: MarkdownStyle,
): readonly number[] | undefined {
  const natural = Array.from({ length: count }, () => 1);
  for (const row of rows) {
    row.slice(0, count).forEach((cell, at) => {
      const lines = layOut(cell, Number.POSITIVE_INFINITY, 'row', style);
      const width = lines.reduce((most, line) => Math.max(most, displayWidth(line)), 1);
      natural[at] = Math.max(natural[at] ?? 1, width);
    });
  }
  const room = columns - GAP_COLUMNS * (count - 1);
  let left = room;
  const widths: number[] = [];
  const byWidth = natural
    .map((_, at) => at)
    .toSorted((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  byWidth.forEach((at, index) => {
    const share = Math.floor(left / (count - index));
    const width = Math.min(natural[at] ?? 1, share);
    widths[at] = width;
    left -= width;
  });
  const isReadable = widths.every(
    (width, at) => width >= Math.min(natural[at] ?? 1, MIN_CELL_COLUMNS),
  );
  return isReadable ? widths : undefined;
}

/** The lines of a cell. */
function layOut(
  cell: string,
  width: number,
  kind: 'header' | 'row',
  style: MarkdownStyle,
  head = '',
): string[] {
  if (cell === '') return [head];
  let text = '';
  let prefix = head;
  const flow = createLineFlow({
    write: (piece) => void (text += piece),
    paint: style.paint,
    columns: () => width,
    startLine: () => {
      const start = prefix;
      prefix = head === '' ? '' : '  ';
      return start;
    },
    longWords: 'break',
  });
  const reader = createInlineReader(
    { text: (piece, styles) => flow.add(piece, styles), breakLine: () => flow.breakLine() },
    { styles: kind === 'header' ? ['bold'] : [], markers: style.markers },
  );
  reader.add(cell.replaceAll(LINE_BREAK, '\n'));
  reader.end();
  flow.end();
  return text === '' ? [head] : text.slice(0, -1).split('\n');
}

function align(text: string, width: number, alignment: Alignment): string {
  const space = Math.max(0, width - displayWidth(text));
  const before = alignment === 'right' ? space : alignment === 'center' ? Math.floor(space / 2) : 0;
  return `${' '.repeat(before)}${text}${' '.repeat(space - before)}`;
}
