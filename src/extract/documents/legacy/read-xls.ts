import type { DocumentPart } from '#core/extract/document.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { damaged } from '../document-errors.ts';
import type { FormatReader } from '../reader.ts';
import { ByteView } from './byte-view.ts';
import { CompoundFile, isCompoundFile } from './compound-file.ts';
import { hasEncryptedPackage, readEncryptedPackage } from './encryption/encrypted-package.ts';
import { readSummary, type SummaryProperties } from './property-set.ts';
import { isInRange } from './page-range.ts';
import { readSheetCells } from './xls/sheet-cells.ts';
import { isStartOfPart } from './xls/record-reader.ts';
import { readWorkbook, type SheetEntry } from './xls/workbook.ts';
import { writeSheet } from './xls/write-sheet.ts';

const FORMAT = 'Excel';

/** Reads workbooks (.xls) of Excel 2 to 2003; a sheet is a part. */
export const readXls: FormatReader = (bytes, source) => {
  const file = isCompoundFile(bytes) ? new CompoundFile(bytes) : undefined;
  if (file !== undefined && hasEncryptedPackage(file))
    return readEncryptedPackage(file, source, FORMAT);
  const { stream, summary, isTruncated } = openStream(bytes, file);
  const workbook = readWorkbook(stream);
  const sheets = workbook.sheets.filter(({ kind }) => kind === 'cells');
  const all: readonly SheetEntry[] =
    sheets.length > 0 || workbook.sheets.length > 0
      ? sheets
      : [{ name: 'Sheet1', at: 0, state: 'shown', kind: 'cells' }];
  const parts: DocumentPart[] = [];
  const broken: string[] = [];
  const hidden: string[] = [];
  all.forEach((sheet, at) => {
    if (!isInRange(at + 1, source.pages)) return;
    if (!isSheetStart(stream, sheet.at)) broken.push(`the sheet ${sheet.name}`);
    else {
      if (sheet.state === 'hidden') hidden.push(`the sheet ${sheet.name}`);
      const markdown = writeSheet(readSheetCells(workbook, sheet.at));
      parts.push({ place: { is: 'sheet', sheet: sheet.name, index: at + 1 }, markdown });
    }
  });
  if (parts.length === 0 && broken.length > 0) throw damaged(FORMAT, 'its sheets are missing');
  const notices: readonly Notice[] = [
    ...broken.map((part) => notice('document_part_damaged', { part })),
    ...(isTruncated ? [notice('document_part_damaged', { part: 'the end of the file' })] : []),
    ...(hidden.length > 0 ? [notice('document_hidden_parts', { parts: hidden })] : []),
  ];
  return { ...summary, pageCount: all.length, parts, notices };
};

interface OpenedStream {
  readonly stream: ByteView;
  readonly summary: SummaryProperties;
  readonly isTruncated: boolean;
}

/** Excel 4 and older wrote the records without a compound file. */
function openStream(bytes: Uint8Array, file: CompoundFile | undefined): OpenedStream {
  if (file === undefined) {
    const stream = new ByteView(bytes, FORMAT);
    if (!isSheetStart(stream, 0)) throw damaged(FORMAT, 'it does not start as a workbook');
    return { stream, summary: {}, isTruncated: false };
  }
  const entry = file.findAnywhere('Workbook') ?? file.findAnywhere('Book');
  if (entry === undefined) throw damaged(FORMAT, 'it has no workbook');
  const stream = new ByteView(file.read(entry), FORMAT);
  return { stream, summary: readSummary(file), isTruncated: file.isTruncated };
}

function isSheetStart(stream: ByteView, at: number): boolean {
  return at + 4 <= stream.length && isStartOfPart(stream.u16(at));
}
