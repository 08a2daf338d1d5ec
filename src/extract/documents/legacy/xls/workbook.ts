import { needsPassword, tooLarge } from '../../document-errors.ts';
import type { ByteView } from '../byte-view.ts';
import { codePageDecoder } from '../code-page.ts';
import { formatCode, type DateMode } from './cell-format.ts';
import { isStartOfPart, readRecords, RECORD } from './record-reader.ts';
import { readSharedStrings, readBiffString, type StringFormat } from './strings.ts';

export interface SheetEntry {
  readonly name: string;
  /** The byte of its first record. */
  readonly at: number;
  readonly state: 'shown' | 'hidden';
  readonly kind: 'cells' | 'chart' | 'macros';
}

/** What holds for all sheets: names, strings and formats. */
export interface Workbook {
  readonly stream: ByteView;
  readonly version: 'biff8' | 'biff5' | 'older';
  readonly sheets: readonly SheetEntry[];
  readonly strings: readonly string[];
  readonly stringFormat: StringFormat;
  readonly dateMode: DateMode;
  /** The format of the numbers of a cell, by the number of its style. */
  formatOf(style: number): string | undefined;
}

const MAX_SHEETS = 10_000;
const VERSIONS = { 0x0600: 'biff8', 0x0500: 'biff5' } as const;

export function readWorkbook(stream: ByteView): Workbook {
  const version = readVersion(stream);
  let codePage = 1252;
  let dateMode: DateMode = '1900';
  const sheets: { readonly body: ByteView }[] = [];
  const stringBodies: ByteView[] = [];
  const formats = new Map<number, string>();
  const formatBodies: ByteView[] = [];
  const styles: number[] = [];
  let previous: number = 0;
  for (const { type, at, body } of readRecords(stream, 0)) {
    if (type === RECORD.endOfPart && version !== 'older') break;
    if (at > 0 && isStartOfPart(type)) break;
    if (type === RECORD.password && at > 0) throw needsPassword('Excel', 'missing');
    if (type === RECORD.codePage && body.length >= 2) codePage = body.u16(0);
    if (type === RECORD.dateMode && body.length >= 2)
      dateMode = body.u16(0) === 1 ? '1904' : '1900';
    if (type === RECORD.sheet && version !== 'older') sheets.push({ body });
    if (sheets.length > MAX_SHEETS) throw tooLarge('sheets', MAX_SHEETS);
    if (type === RECORD.sharedStrings) stringBodies.push(body);
    if (type === RECORD.continued && previous === RECORD.sharedStrings) stringBodies.push(body);
    if (type === RECORD.numberFormat || type === RECORD.numberFormatOld) formatBodies.push(body);
    if (type === RECORD.cellFormat && body.length >= 4) styles.push(body.u16(2));
    if (type === RECORD.cellFormatOld4 || type === RECORD.cellFormatOld3)
      styles.push(body.length >= 2 ? body.u8(1) : 0);
    if (type !== RECORD.continued) previous = type;
  }
  const stringFormat: StringFormat = {
    version: version === 'biff8' ? 'biff8' : 'older',
    decode: codePageDecoder(codePage),
  };
  formatBodies.forEach((body, index) => {
    if (body.length < 4) return;
    if (version === 'biff8') formats.set(body.u16(0), readBiffString(body, 2, 2, stringFormat));
    else if (version === 'biff5')
      formats.set(body.u16(0), readBiffString(body, 2, 1, stringFormat));
    else formats.set(index, readBiffString(body, body.u8(0) === 0 ? 2 : 0, 1, stringFormat));
  });
  return {
    stream,
    version,
    sheets: sheets.flatMap(({ body }) => readSheetEntry(body, stringFormat)),
    strings: readSharedStrings(stringBodies),
    stringFormat,
    dateMode,
    formatOf: (style) => formatCode(styles[style] ?? 0, formats),
  };
}

function readVersion(stream: ByteView): Workbook['version'] {
  if (stream.length < 6 || stream.u16(0) !== RECORD.startOfPart) return 'older';
  const stated = stream.u16(4);
  return stated === 0x0600 || stated === 0x0500 ? VERSIONS[stated] : 'biff5';
}

function readSheetEntry(body: ByteView, format: StringFormat): readonly SheetEntry[] {
  if (body.length < 8) return [];
  const kind = body.u8(5);
  return [
    {
      at: body.u32(0),
      state: (body.u8(4) & 3) === 0 ? 'shown' : 'hidden',
      kind: kind === 0 ? 'cells' : kind === 2 ? 'chart' : 'macros',
      name: readBiffString(body, 6, 1, format),
    },
  ];
}
