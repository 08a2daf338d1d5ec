import type { DocumentPart } from '#core/extract/document.ts';
import { notice } from '#core/messages/notices.ts';
import { damaged, unsupported } from '../document-errors.ts';
import { textHeading, textParagraph } from '../office/office-block.ts';
import { isPageSelected } from '../office/select-pages.ts';
import { writeOfficeBlocks } from '../office/write-blocks.ts';
import { noticeEmbedded, readCoreProperties } from '../ooxml/core-properties.ts';
import { chartWorkbooks } from '../ooxml/drawing-parts.ts';
import { isDamage, openOoxml, type OoxmlPackage } from '../ooxml/ooxml-package.ts';
import type { FormatReader } from '../reader.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import { readCellStyles } from './cell-styles.ts';
import { readXlsxStrings } from './shared-strings.ts';
import { readXlsxCells, type XlsxSheetCells, type WorkbookContext } from './sheet-cells.ts';
import { readPeople, readSheetComments, readSheetDrawings } from './sheet-extras.ts';
import { sheetTable } from './sheet-table.ts';

interface Sheet {
  readonly name: string;
  readonly part: string | undefined;
  readonly isHidden: boolean;
}

/** Workbooks: a part for each sheet, in their order, with the values that the program calculated. */
export const readXlsx: FormatReader = (bytes, source) => {
  const pack = openOoxml(bytes, 'XLSX', 'xl/workbook.xml');
  if (/\.bin$/i.test(pack.mainPart))
    throw unsupported('XLSB', 'binary workbooks are not read; save it as XLSX');
  const workbook = pack.requirePart(pack.mainPart);
  const sheets = readSheets(pack, workbook);
  if (sheets.length === 0) throw damaged('XLSX', 'it has no sheets');
  const is1904 = /^(?:1|true)$/.test(workbook.child('workbookPr')?.get('date1904') ?? '');
  const context: WorkbookContext = {
    pack,
    size: { chars: 0 },
    strings: tolerate(pack, 'the texts of its cells', [], () =>
      readXlsxStrings(pack, pack.related(pack.mainPart, 'sharedStrings') ?? 'xl/sharedStrings.xml'),
    ),
    writeNumber: readCellStyles(
      pack.part(pack.related(pack.mainPart, 'styles') ?? 'xl/styles.xml'),
      is1904 ? '1904' : '1900',
    ),
  };
  const people = readPeople(pack);
  const parts: DocumentPart[] = [];
  sheets.forEach((sheet, at) => {
    if (!isPageSelected(at + 1, source.pages)) return;
    const place = { is: 'sheet', sheet: sheet.name, index: at + 1 } as const;
    parts.push({ place, markdown: readSheet(sheet, context, people) });
  });
  const hidden = sheets.filter(({ isHidden }) => isHidden).map(({ name }) => `sheet "${name}"`);
  return {
    ...readCoreProperties(pack),
    pageCount: sheets.length,
    parts,
    notices: [
      ...pack.notices,
      ...(hidden.length === 0 ? [] : [notice('document_hidden_parts', { parts: hidden })]),
      ...noticeEmbedded(pack, chartWorkbooks(pack)),
    ],
  };
};

function readSheets(pack: OoxmlPackage, workbook: XmlElement): Sheet[] {
  const relationships = pack.relationships(pack.mainPart);
  return (workbook.child('sheets')?.elements('sheet') ?? []).map((sheet, at) => ({
    name: sheet.get('name') ?? `Sheet${at + 1}`,
    part: relationships.get(sheet.getPrefixed('id') ?? '')?.target,
    isHidden: /hidden/i.test(sheet.get('state') ?? ''),
  }));
}

function readSheet(
  { name, part, isHidden }: Sheet,
  context: WorkbookContext,
  people: ReadonlyMap<string, string>,
): string {
  const { pack } = context;
  const title = textHeading(2, isHidden ? `${name} (hidden)` : name);
  if (part === undefined) return writeOfficeBlocks([title]);
  const none: XlsxSheetCells = { rows: [], margins: [] };
  const { rows, margins } = tolerate(pack, `sheet "${name}"`, none, () =>
    readXlsxCells(part, context),
  );
  return [
    writeOfficeBlocks([title]),
    sheetTable(rows),
    writeOfficeBlocks([
      ...readSheetDrawings(pack, part),
      ...margins.map(textParagraph),
      ...readSheetComments(pack, part, people),
    ]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Reads what it can of a workbook: a damaged part is noticed. */
function tolerate<Result>(
  pack: OoxmlPackage,
  part: string,
  otherwise: Result,
  read: () => Result,
): Result {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    pack.notices.push(notice('document_part_damaged', { part }));
    return otherwise;
  }
}
