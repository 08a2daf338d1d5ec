import { tooLarge } from '../../document-errors.ts';
import type { ByteView } from '../byte-view.ts';
import { formatCellNumber } from './cell-format.ts';
import { formatBoolOrError, readFormulaResult, readShortNumber } from './cell-values.ts';
import { isStartOfPart, readRecords, RECORD, type BiffRecord } from './record-reader.ts';
import { readCharacters, readBiffString } from './strings.ts';
import type { Workbook } from './workbook.ts';

/** The cells of a sheet that have a value, by row and column from 0. */
export interface SheetCells {
  readonly rows: ReadonlyMap<number, ReadonlyMap<number, string>>;
  /** Texts of comments and text boxes. */
  readonly texts: readonly string[];
  readonly headers: readonly string[];
}

const MAX_CELLS = 4_000_000;

export function readSheetCells(workbook: Workbook, start: number): SheetCells {
  const reader = new SheetReader(workbook);
  let depth = 0;
  for (const record of readRecords(workbook.stream, start)) {
    if (isStartOfPart(record.type)) depth++;
    else if (record.type === RECORD.endOfPart) {
      depth--;
      if (depth <= 0) break;
    } else reader.add(record, depth === 1 ? 'sheet' : 'chart');
  }
  return reader;
}

class SheetReader implements SheetCells {
  readonly rows = new Map<number, Map<number, string>>();
  readonly texts: string[] = [];
  readonly headers: string[] = [];
  readonly #workbook: Workbook;
  #cells = 0;
  #formulaAt: readonly [number, number] | undefined;
  /** The text of an object comes in the record after it: how many characters it has. */
  #textChars = 0;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  add({ type, body }: BiffRecord, place: 'sheet' | 'chart'): void {
    if (type === RECORD.continued) this.#addText(body);
    else this.#textChars = 0;
    if (type === RECORD.textObject && body.length >= 12) this.#textChars = body.u16(10);
    if (place === 'chart' || body.length < 2) return;
    if (type === RECORD.header || type === RECORD.footer) this.#addHeader(body);
    else if (this.#workbook.version === 'older') this.#addOld(type, body);
    else this.#addCell(type, body);
  }

  #addCell(type: number, body: ByteView): void {
    const least = CELL_BYTES.get(type);
    if (least === undefined || body.length < least) return;
    const { strings, stringFormat } = this.#workbook;
    switch (type) {
      case RECORD.sharedLabel:
        this.#set(body, strings[body.u32(6)] ?? '');
        return;
      case RECORD.label:
      case RECORD.richLabel:
        this.#set(body, readBiffString(body, 6, 2, stringFormat));
        return;
      case RECORD.number:
        this.#setNumber(body, body.f64(6));
        return;
      case RECORD.shortNumber:
        this.#setNumber(body, readShortNumber(body, 6));
        return;
      case RECORD.manyNumbers:
        this.#addMany(body);
        return;
      case RECORD.boolOrError:
        this.#set(body, formatBoolOrError(body.u8(6), body.u8(7) === 0 ? 'bool' : 'error'));
        return;
      case RECORD.formula:
      case RECORD.formulaOld3:
      case RECORD.formulaOld4:
        this.#addFormula(body, 6);
        return;
      default:
        this.#addFormulaText(readBiffString(body, 0, 2, stringFormat));
    }
  }

  /** Excel 2 to 4: the same in other records; attributes have three bytes in Excel 2. */
  #addOld(type: number, body: ByteView): void {
    const { stringFormat } = this.#workbook;
    const isFormulaText = type === RECORD.formulaTextOld2 || type === RECORD.formulaText;
    if (isFormulaText) {
      this.#addFormulaText(
        readBiffString(body, 0, type === RECORD.formulaText ? 2 : 1, stringFormat),
      );
      return;
    }
    if (type === RECORD.formula && body.length >= 15) {
      const isExcel2 = this.#workbook.stream.u16(0) === 0x0009;
      this.#addFormula(body, isExcel2 ? 7 : 6);
      return;
    }
    if (body.length >= 8) {
      if (type === RECORD.integerOld2 && body.length >= 9) this.#set(body, String(body.u16(7)));
      else if (type === RECORD.numberOld2 && body.length >= 15)
        this.#set(body, formatCellNumber(body.f64(7), undefined, '1900'));
      else if (type === RECORD.labelOld2) this.#set(body, readBiffString(body, 7, 1, stringFormat));
      else if (type === RECORD.boolOrErrorOld2 && body.length >= 9)
        this.#set(body, formatBoolOrError(body.u8(7), body.u8(8) === 0 ? 'bool' : 'error'));
      else this.#addCell(type, body);
    }
  }

  #addMany(body: ByteView): void {
    const row = body.u16(0);
    const first = body.u16(2);
    const count = Math.floor((body.length - 6) / 6);
    for (let index = 0; index < count; index++) {
      const at = 4 + index * 6;
      const format = this.#workbook.formatOf(body.u16(at));
      const value = readShortNumber(body, at + 2);
      this.#put(row, first + index, formatCellNumber(value, format, this.#workbook.dateMode));
    }
  }

  #addFormula(body: ByteView, at: number): void {
    const result = readFormulaResult(body, at);
    this.#formulaAt = result.is === 'text' ? [body.u16(0), body.u16(2)] : undefined;
    if (result.is === 'number') this.#setNumber(body, result.value);
    else if (result.is === 'shown') this.#set(body, result.text);
  }

  #addFormulaText(text: string): void {
    if (this.#formulaAt !== undefined) this.#put(...this.#formulaAt, text);
    this.#formulaAt = undefined;
  }

  #addText(body: ByteView): void {
    if (this.#textChars === 0 || body.length < 2) return;
    const text = readCharacters(body, 1, this.#textChars, body.u8(0));
    this.#textChars = 0;
    if (text.trim() !== '') this.texts.push(text);
  }

  #addHeader(body: ByteView): void {
    const { version, stringFormat } = this.#workbook;
    const text = readBiffString(body, 0, version === 'biff8' ? 2 : 1, stringFormat);
    // Codes for the font, the page number and the place on the page.
    const shown = text
      .replace(/&(?:"[^"]*"|[LCRPNDTFAGZBIUESXYHO]|\d{1,3}|K[0-9A-F+-]{6,8})/gi, ' ')
      .replace(/&&/g, '&')
      .trim();
    if (shown !== '') this.headers.push(shown);
  }

  #set(body: ByteView, text: string): void {
    this.#put(body.u16(0), body.u16(2), text);
  }

  #setNumber(body: ByteView, value: number): void {
    const format = this.#workbook.formatOf(body.u16(4));
    this.#set(body, formatCellNumber(value, format, this.#workbook.dateMode));
  }

  #put(row: number, column: number, text: string): void {
    if (text === '') return;
    this.#cells++;
    if (this.#cells > MAX_CELLS) throw tooLarge('cells in a sheet', MAX_CELLS);
    const cells = this.rows.get(row) ?? new Map<number, string>();
    cells.set(column, text);
    this.rows.set(row, cells);
  }
}

/** The least length of the records of cells. */
const CELL_BYTES = new Map<number, number>([
  [RECORD.sharedLabel, 10],
  [RECORD.label, 8],
  [RECORD.richLabel, 8],
  [RECORD.number, 14],
  [RECORD.shortNumber, 10],
  [RECORD.manyNumbers, 12],
  [RECORD.boolOrError, 8],
  [RECORD.formula, 14],
  [RECORD.formulaOld3, 14],
  [RECORD.formulaOld4, 14],
  [RECORD.formulaText, 3],
]);
