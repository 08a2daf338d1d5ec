import { strToU8, zipSync } from 'fflate';

/** An archive of texts, as small as its reader accepts. */
export function archiveOf(parts: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
  );
}

type Relation = readonly [id: string, type: string, target: string, mode?: 'External'];

export function relations(...all: readonly Relation[]): string {
  const lines = all.map(
    ([id, type, target, mode]) =>
      `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"${mode === undefined ? '' : ` TargetMode="${mode}"`}/>`,
  );
  return `<Relationships>${lines.join('')}</Relationships>`;
}

/** A Word document with this body, and further parts. */
export function docxOf(
  body: string,
  parts: Readonly<Record<string, string>> = {},
  related: readonly Relation[] = [],
): Uint8Array {
  return archiveOf({
    '_rels/.rels': relations(['rId1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relations(...related),
    ...parts,
  });
}

/** A workbook with the rows of its sheets. */
export function xlsxOf(
  sheets: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, string>> = {},
): Uint8Array {
  const names = Object.keys(sheets);
  const entries = names.map(
    (name, at) =>
      `<sheet name="${name.replace('!', '')}" sheetId="${at + 1}" r:id="s${at}"${name.endsWith('!') ? ' state="hidden"' : ''}/>`,
  );
  return archiveOf({
    '_rels/.rels': relations(['rId1', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...names.map((_, at): Relation => [`s${at}`, 'worksheet', `worksheets/sheet${at}.xml`]),
      ['t', 'sharedStrings', 'sharedStrings.xml'],
      ['y', 'styles', 'styles.xml'],
    ),
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [
        `xl/worksheets/sheet${at}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
    ...parts,
  });
}

/** An OpenDocument file with this content of `office:body`. */
export function odfOf(body: string, parts: Readonly<Record<string, string>> = {}): Uint8Array {
  return archiveOf({
    'content.xml': `<office:document-content>${parts['styles'] ?? ''}<office:body>${body}</office:body></office:document-content>`,
    ...Object.fromEntries(Object.entries(parts).filter(([name]) => name !== 'styles')),
  });
}
