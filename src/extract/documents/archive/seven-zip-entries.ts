import { damaged, needsPassword, tooLarge, unsupported } from '../document-errors.ts';
import { ByteView } from '../legacy/byte-view.ts';
import { fileTimeToIso } from '../legacy/property-set.ts';
import { requireEntryCount, type ArchiveEntry, type ArchiveListing } from './archive-entry.ts';
import { decodeLzma } from './lzma-decoder.ts';
import { HeaderCursor, readStreams } from './seven-zip-streams.ts';

const START_BYTES = 32;
const MAX_HEADER_BYTES = 64 * 1024 * 1024;
const ID = { end: 0, header: 1, properties: 2, moreStreams: 3, streams: 4, files: 5 } as const;
const ENCODED_HEADER = 0x17;
const FILE = { emptyStream: 0x0e, emptyFile: 0x0f, names: 0x11, modified: 0x14 } as const;
const LZMA = '030101';
const COPY = '00';
const AES = '06f10701';

/** Lists a 7z archive; its header is compressed as a rule. */
export function listSevenZip(bytes: Uint8Array): ArchiveListing {
  const view = new ByteView(bytes, '7z');
  const size = view.u64(20);
  if (size === 0) return { entries: [], state: 'complete' };
  let header = view.sub(START_BYTES + view.u64(12), size);
  // A compressed header may be compressed again.
  for (let round = 0; round < 4 && header.u8(0) === ENCODED_HEADER; round++)
    header = unpackHeader(view, header);
  if (header.u8(0) !== ID.header) throw damaged('7z', 'its header is missing');
  return { entries: readHeader(header), state: 'complete' };
}

function unpackHeader(archive: ByteView, header: ByteView): ByteView {
  const cursor = new HeaderCursor(header);
  cursor.at = 1;
  const { packedAt, packedSizes, folders } = readStreams(cursor);
  const [folder] = folders;
  const [packedSize] = packedSizes;
  if (folder === undefined || packedSize === undefined)
    throw damaged('7z', 'its header is not valid');
  if (folder.methods.includes(AES)) throw needsPassword('7z', 'missing');
  if (folder.unpackedBytes > MAX_HEADER_BYTES)
    throw tooLarge('bytes in its header', MAX_HEADER_BYTES);
  const packed = archive.slice(START_BYTES + packedAt, packedSize);
  const [method] = folder.methods;
  if (folder.methods.length !== 1 || (method !== LZMA && method !== COPY))
    throw unsupported('7z', 'its header is compressed by another method');
  const unpacked =
    method === COPY ? packed : decodeLzma(packed, folder.properties, folder.unpackedBytes);
  return new ByteView(unpacked, '7z');
}

function readHeader(header: ByteView): readonly ArchiveEntry[] {
  const cursor = new HeaderCursor(header);
  cursor.at = 1;
  let sizes: readonly number[] = [];
  for (let id = cursor.byte(); id !== ID.end; id = cursor.byte()) {
    if (id === ID.streams) sizes = readStreams(cursor).fileSizes;
    else if (id === ID.moreStreams) readStreams(cursor);
    else if (id === ID.files) return readFiles(cursor, sizes);
    else if (id === ID.properties)
      for (let type = cursor.byte(); type !== 0; type = cursor.byte()) cursor.at += cursor.number();
    else throw damaged('7z', 'its header is not valid');
  }
  return [];
}

function readFiles(cursor: HeaderCursor, sizes: readonly number[]): readonly ArchiveEntry[] {
  const count = cursor.count();
  requireEntryCount(count);
  let names: readonly string[] = [];
  let isEmpty: readonly boolean[] = [];
  let isFile: readonly boolean[] = [];
  let times: readonly (string | undefined)[] = [];
  for (let type = cursor.byte(); type !== ID.end; type = cursor.byte()) {
    const length = cursor.number();
    const own = new HeaderCursor(cursor.view.sub(cursor.at, length));
    cursor.at += length;
    if (type === FILE.names) names = readNames(own);
    else if (type === FILE.emptyStream) isEmpty = own.bits(count);
    else if (type === FILE.emptyFile) isFile = own.bits(isEmpty.filter(Boolean).length);
    else if (type === FILE.modified) times = readTimes(own, count);
  }
  let stored = 0;
  let empty = 0;
  return Array.from({ length: count }, (_, at): ArchiveEntry => {
    const hasNoBytes = isEmpty[at] === true;
    const isFolder = hasNoBytes && isFile[empty] !== true;
    if (hasNoBytes) empty++;
    const modified = times[at];
    return {
      name: names[at] ?? '',
      kind: isFolder ? 'folder' : 'file',
      bytes: hasNoBytes ? 0 : (sizes[stored++] ?? 0),
      ...(modified !== undefined && { modified }),
    };
  });
}

function readNames(cursor: HeaderCursor): readonly string[] {
  if (cursor.byte() !== 0) throw unsupported('7z', 'its header is stored in parts');
  return cursor.view.utf16(1, (cursor.view.length - 1) >> 1).split('\0');
}

function readTimes(cursor: HeaderCursor, count: number): readonly (string | undefined)[] {
  const defined = cursor.definedBits(count);
  if (cursor.byte() !== 0) return [];
  return defined.map((isDefined) => {
    if (!isDefined) return undefined;
    const iso = fileTimeToIso(cursor.view, cursor.at);
    cursor.at += 8;
    return iso?.slice(0, 16).replace('T', ' ');
  });
}
