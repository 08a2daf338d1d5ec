import { notice, type Notice } from '#core/messages/notices.ts';
import { damaged } from '../document-errors.ts';
import { LinkAddresses } from '../link-addresses.ts';
import type { FormatReader } from '../reader.ts';
import { ByteView } from './byte-view.ts';
import { CompoundFile } from './compound-file.ts';
import { writeDocumentText, type DocumentText } from './doc/document-text.ts';
import { readFileInformation, type FileInformation } from './doc/file-information.ts';
import { markHidden } from './doc/hidden-text.ts';
import { createListMarkers } from './doc/list-definitions.ts';
import { createParagraphReader } from './doc/paragraph-properties.ts';
import { createOffsets, readPieces, readPieceText } from './doc/piece-table.ts';
import { readStyleSheet } from './doc/style-sheet.ts';
import { hasEncryptedPackage, readEncryptedPackage } from './encryption/encrypted-package.ts';
import { readSummary } from './property-set.ts';

const FORMAT = 'Word';

/** Reads Word documents (.doc) of Word 6 to 2003. */
export const readDoc: FormatReader = (bytes, source) => {
  const file = new CompoundFile(bytes);
  if (hasEncryptedPackage(file)) return readEncryptedPackage(file, source, FORMAT);
  const entry = file.findAnywhere('WordDocument');
  if (entry === undefined) throw damaged(FORMAT, 'it has no text');
  const document = new ByteView(file.read(entry), FORMAT);
  const information = readFileInformation(document);
  const stream = (name: string): ByteView => {
    const found = file.findAnywhere(name);
    return new ByteView(found === undefined ? new Uint8Array() : file.read(found), FORMAT);
  };
  const table = information.version === 'word6' ? document : stream(information.tableStream);
  const data = information.version === 'word6' ? document : stream('Data');
  const markdown = writeParts(document, table, data, information);
  const notices: readonly Notice[] = file.isTruncated
    ? [notice('document_part_damaged', { part: 'the end of the file' })]
    : [];
  return { ...readSummary(file), parts: [{ place: { is: 'document' }, markdown }], notices };
};

function writeParts(
  document: ByteView,
  table: ByteView,
  data: ByteView,
  information: FileInformation,
): string {
  const pieces = readPieces(information, document, table);
  const text = readPieceText(pieces, document, information);
  const styles = readStyleSheet(table, information);
  const { lengths } = information;
  const footnotes = readNotes(table, information, 'footnote');
  const endnotes = readNotes(table, information, 'endnote');
  const links = new LinkAddresses();
  const shared = {
    text,
    links,
    hidden: markHidden(document, table, information, pieces, text.length),
    styles,
    lists: createListMarkers(table, information),
    paragraphs: createParagraphReader(document, table, data, information, styles),
    offsetOf: createOffsets(pieces),
  };
  const content: DocumentText = {
    ...shared,
    notes: new Map([...footnotes, ...endnotes].map(({ mark, label }) => [mark, `[^${label}]`])),
  };
  const plain: DocumentText = { ...shared, notes: new Map() };
  const footnotesAt = lengths.main;
  const headersAt = footnotesAt + lengths.footnotes;
  const commentsAt = headersAt + lengths.headers + lengths.macros;
  const endnotesAt = commentsAt + lengths.comments;
  const boxesAt = endnotesAt + lengths.endnotes;
  const headerBoxesAt = boxesAt + lengths.textBoxes;
  const range = (at: number, length: number): string => writeDocumentText(plain, at, at + length);
  const notes = (list: readonly Note[], from: number): string[] =>
    list.map(({ label, start, end }) => {
      const body = writeDocumentText(plain, from + start, from + end);
      return `[^${label}]: ${body.replace(/\n+/g, ' ')}`;
    });
  const parts = [
    writeDocumentText(content, 0, lengths.main),
    range(boxesAt, lengths.textBoxes),
    notes(footnotes, footnotesAt).join('\n'),
    notes(endnotes, endnotesAt).join('\n'),
    withoutRepeats(range(commentsAt, lengths.comments)),
    withoutRepeats(range(headersAt, lengths.headers)),
    withoutRepeats(range(headerBoxesAt, lengths.headerTextBoxes)),
  ];
  return [...parts, links.write()].filter((part) => part !== '').join('\n\n');
}

/** Headers are stored for each section, and often the same. */
function withoutRepeats(markdown: string): string {
  return [...new Set(markdown.split('\n\n'))].join('\n\n');
}

interface Note {
  readonly label: string;
  /** The position of its mark in the main text. */
  readonly mark: number;
  /** In the text of all notes. */
  readonly start: number;
  readonly end: number;
}

function readNotes(
  table: ByteView,
  information: FileInformation,
  kind: 'footnote' | 'endnote',
): readonly Note[] {
  const marks = information.range(`${kind}Marks`);
  const texts = information.range(`${kind}Texts`);
  const count = Math.floor((marks.length - 4) / 6);
  const isStored =
    count > 0 &&
    marks.at + marks.length <= table.length &&
    texts.at + texts.length <= table.length &&
    texts.length >= (count + 1) * 4;
  if (!isStored) return [];
  return Array.from({ length: count }, (_, index) => ({
    label: kind === 'footnote' ? `${index + 1}` : `e${index + 1}`,
    mark: table.u32(marks.at + index * 4),
    start: table.u32(texts.at + index * 4),
    end: table.u32(texts.at + index * 4 + 4),
  }));
}
