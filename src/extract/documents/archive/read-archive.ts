import type { DocumentContent, DocumentSource } from '#core/extract/document.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { damaged, unsupported } from '../document-errors.ts';
import { withoutControls } from '../flow-writer.ts';
import { escapeInline } from '../inline-builder.ts';
import { markdownTable } from '../markdown-table.ts';
import type { FormatReader } from '../reader.ts';
import type { ArchiveEntry, ArchiveListing } from './archive-entry.ts';
import { readGzip } from './read-gzip.ts';
import { listRar } from './rar-entries.ts';
import { listSevenZip } from './seven-zip-entries.ts';
import { isTarHeader, TarLister } from './tar-lister.ts';
import { listZip } from './zip-entries.ts';

/** Archives that are one compressed stream; their content is not unpacked. */
const STREAMS: readonly (readonly [name: string, start: readonly number[]])[] = [
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['Zstandard', [0x28, 0xb5, 0x2f, 0xfd]],
  ['compress', [0x1f, 0x9d]],
  ['LZ4', [0x04, 0x22, 0x4d, 0x18]],
  ['lzip', [0x4c, 0x5a, 0x49, 0x50]],
  ['CAB', [0x4d, 0x53, 0x43, 0x46]],
];

/** Lists the files of an archive: names, sizes and dates. A text in gzip is read. */
export const readArchive: FormatReader = (bytes, source) => {
  if (startsWith(bytes, [0x1f, 0x8b])) return readGzip(bytes, source, writeListing);
  const listing = listArchive(bytes);
  if (listing !== undefined) return writeListing(listing);
  const stream = STREAMS.find(([, start]) => startsWith(bytes, start));
  if (stream === undefined) throw damaged('archive', 'its kind is not known');
  return nameOnly(bytes, source, stream[0]);
};

function listArchive(bytes: Uint8Array): ArchiveListing | undefined {
  if (startsWith(bytes, [0x50, 0x4b])) return listZip(bytes);
  if (startsWith(bytes, [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07])) return listRar(bytes);
  if (startsWith(bytes, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c])) return listSevenZip(bytes);
  if (!isTarHeader(bytes)) return undefined;
  const tar = new TarLister();
  tar.push(bytes);
  return tar;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

function nameOnly(bytes: Uint8Array, source: DocumentSource, kind: string): DocumentContent {
  if (source.name === undefined) throw unsupported(kind, 'its content is not unpacked');
  const entries = [{ name: source.name, bytes: bytes.length, kind: 'file' as const }];
  const { parts, notices } = writeListing({ entries, state: 'complete' });
  const unread = notice('document_parts_not_read', { parts: [`the content (${kind})`] });
  return { parts, notices: [...notices, unread] };
}

function writeListing({ entries, state }: ArchiveListing): DocumentContent {
  const total = entries.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const files = entries.filter(({ kind }) => kind === 'file').length;
  const table = markdownTable([
    ['Name', 'Bytes', 'Modified'],
    ...entries.map((entry) => [
      writeName(entry),
      entry.bytes?.toString() ?? '',
      entry.modified ?? '',
    ]),
  ]);
  const notices: readonly Notice[] =
    state === 'complete'
      ? []
      : [notice('document_part_damaged', { part: 'a part of the archive' })];
  const summary = `${files} ${files === 1 ? 'file' : 'files'}, ${total} bytes`;
  const markdown = entries.length === 0 ? summary : `${summary}\n\n${table}`;
  return { parts: [{ place: { is: 'document' }, markdown }], notices };
}

/** Names are chosen by others: line breaks and marks of direction would change the table. */
function writeName({ name, kind }: ArchiveEntry): string {
  const clean = withoutControls(name)
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  return escapeInline(kind === 'link' ? `${clean} (link)` : clean);
}
