import type { DocumentFormat, DocumentSource, ReadDocument } from '#core/extract/document.ts';
import { notice } from '#core/messages/notices.ts';
import { detectFormat } from './detect-format.ts';
import { noSuchPage, requireDocumentSize } from './document-errors.ts';
import type { BytesUse, FormatReader } from './reader.ts';

/** The reader of each format, imported with the first document that needs it. */
const READERS: { readonly [Format in DocumentFormat]: () => Promise<FormatReader> } = {
  pdf: async () => (await import('./pdf/read-pdf.ts')).readPdf,
  docx: async () => (await import('./docx/read-docx.ts')).readDocx,
  pptx: async () => (await import('./pptx/read-pptx.ts')).readPptx,
  xlsx: async () => (await import('./xlsx/read-xlsx.ts')).readXlsx,
  odt: async () => (await import('./odf/read-odt.ts')).readOdt,
  ods: async () => (await import('./odf/read-ods.ts')).readOds,
  odp: async () => (await import('./odf/read-odp.ts')).readOdp,
  epub: async () => (await import('./epub/read-epub.ts')).readEpub,
  doc: async () => (await import('./legacy/read-doc.ts')).readDoc,
  ppt: async () => (await import('./legacy/read-ppt.ts')).readPpt,
  xls: async () => (await import('./legacy/read-xls.ts')).readXls,
  rtf: async () => (await import('./rtf/read-rtf.ts')).readRtf,
  csv: async () => (await import('./text/read-csv.ts')).readCsv,
  eml: async () => (await import('./mail/read-eml.ts')).readEml,
  msg: async () => (await import('./mail/read-msg.ts')).readMsg,
  archive: async () => (await import('./archive/read-archive.ts')).readArchive,
  html: async () => (await import('./text/read-html.ts')).readHtml,
  notebook: async () => (await import('./text/read-notebook.ts')).readNotebook,
  text: async () => (await import('./text/read-text.ts')).readText,
};

/** Formats that are stored in a compound file if they are encrypted. */
const PACKAGES: { readonly [Format in DocumentFormat]?: string } = {
  docx: 'Word',
  xlsx: 'Excel',
  pptx: 'PowerPoint',
};

/** Reads a document of any format. A pure function: no network, no clock, no files. */
export async function readDocument(
  bytes: Uint8Array,
  source: DocumentSource = {},
  use: BytesUse = 'kept',
): Promise<ReadDocument> {
  const { length } = bytes;
  requireDocumentSize(length);
  const { format, mediaType, disagrees } = detectFormat(bytes, source);
  const name = PACKAGES[format];
  // An encrypted package is a compound file, which starts with this byte; a ZIP archive does not.
  if (name !== undefined && bytes[0] === 0xd0) {
    const { CompoundFile } = await import('./legacy/compound-file.ts');
    const { readEncryptedPackage } = await import('./legacy/encryption/encrypted-package.ts');
    return readEncryptedPackage(new CompoundFile(bytes), source, name);
  }
  const read = await READERS[format]();
  const content = await read(bytes, source, use);
  const { pageCount } = content;
  const { pages } = source;
  if (pages !== undefined && pageCount !== undefined && pages.first > pageCount)
    throw noSuchPage(pages.first, pageCount);
  const whole =
    pages !== undefined && pageCount === undefined ? [notice('document_has_no_pages', {})] : [];
  const corrected =
    disagrees === undefined || length === 0
      ? []
      : [notice('document_type_corrected', { declared: disagrees, actual: mediaType })];
  return { format, mediaType, ...content, notices: [...corrected, ...whole, ...content.notices] };
}
