import { tooLarge } from '../document-errors.ts';
import type { OoxmlPackage } from '../ooxml/ooxml-package.ts';
import { createXmlSink } from '../xml/xml-events.ts';
import type { CellNumberWriter } from './cell-styles.ts';
import { createTextCollector } from './shared-strings.ts';

export interface SheetRow {
  /** From 1. */
  readonly number: number;
  /** From 0, of the cells that have a text. */
  readonly columns: number[];
  readonly texts: string[];
}

export interface XlsxSheetCells {
  readonly rows: SheetRow[];
  /** Headers and footers of its printed pages. */
  readonly margins: string[];
}

export interface WorkbookContext {
  readonly pack: OoxmlPackage;
  readonly strings: readonly string[];
  readonly writeNumber: CellNumberWriter;
  /** Characters of all cells so far. */
  readonly size: { chars: number };
}

export const MAX_CELLS = 3_000_000;
/** Cells may share one long text, so that a small file has any amount of it. */
export const MAX_CELL_CHARS = 40_000_000;
const MARGIN = /^(?:odd|even|first)(?:Header|Footer)$/;

/** The cells of a sheet that have a text, as the sheet is unpacked. */
export function readXlsxCells(part: string, context: WorkbookContext): XlsxSheetCells {
  const rows: SheetRow[] = [];
  const margins: string[] = [];
  const inline = createTextCollector();
  let row: SheetRow | undefined;
  let column = -1;
  let cells = 0;
  let attributes: Readonly<Record<string, string>> = {};
  let reading: 'v' | 'f' | 'margin' | 'inline' | undefined;
  const parts = { v: '', f: '', margin: '' };

  function endCell(): void {
    const text = cellText(attributes, parts, inline.take(), context);
    if (row === undefined || text.trim() === '') return;
    if (++cells > MAX_CELLS) throw tooLarge('cells', MAX_CELLS);
    context.size.chars += text.length;
    if (context.size.chars > MAX_CELL_CHARS) throw tooLarge('characters in cells', MAX_CELL_CHARS);
    row.columns.push(column);
    row.texts.push(text);
  }

  const sink = createXmlSink({
    open(name, own) {
      if (reading === 'inline') inline.open(name, own);
      else if (name === 'row') {
        row = {
          number: Number(own['r']) || (rows.at(-1)?.number ?? 0) + 1,
          columns: [],
          texts: [],
        };
        column = -1;
      } else if (name === 'c') {
        attributes = own;
        column = columnOf(own['r']) ?? column + 1;
        parts.v = '';
        parts.f = '';
        inline.start();
      } else if (name === 'v' || name === 'f') reading = name;
      else if (name === 'is') reading = 'inline';
      else if (MARGIN.test(name)) {
        reading = 'margin';
        parts.margin = '';
      }
    },
    text(text) {
      if (reading === 'inline') inline.text(text);
      else if (reading !== undefined) parts[reading] += text;
    },
    close(name) {
      if (reading === 'inline') {
        if (name === 'is') reading = undefined;
        else inline.close(name);
      } else if (name === 'c') endCell();
      else if (name === 'row') {
        if (row !== undefined && row.texts.length > 0) rows.push(row);
        row = undefined;
      } else if (name === 'v' || name === 'f') reading = undefined;
      else if (reading === 'margin') {
        reading = undefined;
        margins.push(marginText(parts.margin));
      }
    },
  });
  if (context.pack.archive.stream(part, (bytes) => sink.write(bytes))) sink.end();
  return { rows, margins: [...new Set(margins.filter((text) => text !== ''))] };
}

function cellText(
  attributes: Readonly<Record<string, string>>,
  { v, f }: { readonly v: string; readonly f: string },
  inline: string,
  { strings, writeNumber }: WorkbookContext,
): string {
  switch (attributes['t'] ?? 'n') {
    case 's':
      return strings[Number(v)] ?? '';
    case 'inlineStr':
      return inline;
    case 'b':
      return v.trim() === '' ? '' : v.trim() === '1' ? 'TRUE' : 'FALSE';
    case 'str':
    case 'e':
      return v === '' ? formula(f) : v;
    case 'd':
      return v.replace('T', ' ').replace(/(?: 00:00:00)?(?:\.0+)?Z?$/, '');
    default: {
      if (v.trim() === '') return inline === '' ? formula(f) : inline;
      const number = Number(v);
      return Number.isFinite(number) ? writeNumber(number, Number(attributes['s'] ?? 0)) : v;
    }
  }
}

/** A formula that was never calculated is all that a cell says. */
function formula(text: string): string {
  return text === '' ? '' : `=${text}`;
}

/** `AB12` is column 27. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^\$?([A-Za-z]{1,3})\$?\d/.exec(reference ?? '')?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

export function columnName(column: number): string {
  let name = '';
  for (let at = column + 1; at > 0; at = Math.floor((at - 1) / 26))
    name = String.fromCharCode(65 + ((at - 1) % 26)) + name;
  return name;
}

/** Without the codes for fonts, places, page numbers and dates. */
function marginText(text: string): string {
  // `Page 1 of 3`: the words around a page number.
  const isPageNumber = /&[PN]/.test(text);
  const shown = text
    .replace(/&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d+|[^&])|(&)&/gs, (code, double) =>
      double === undefined ? (/^&[LCR]$/.test(code) ? ' ' : '') : '&',
    )
    .replace(/\s+/g, ' ')
    .trim();
  return isPageNumber && shown.length <= 12 ? '' : shown;
}
