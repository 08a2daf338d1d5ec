import type { DocumentFormat } from '#core/extract/document.ts';

/** The format of a ZIP archive or compound file, by the names inside. */

const MAX_NAMES = 20_000;
const MAX_DIRECTORY_SECTORS = 2_000;
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;

const ODF_TYPES: readonly (readonly [start: string, format: DocumentFormat])[] = [
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
  ['application/vnd.sun.xml.writer', 'odt'],
  ['application/vnd.sun.xml.calc', 'ods'],
  ['application/vnd.sun.xml.impress', 'odp'],
  ['application/epub+zip', 'epub'],
];

const OOXML_PARTS: readonly (readonly [part: RegExp, format: DocumentFormat])[] = [
  [/^\/?word\/(?:document|document\d*)\.xml$/i, 'docx'],
  [/^\/?xl\/workbook\d*\.(?:xml|bin)$/i, 'xlsx'],
  [/^\/?ppt\/presentation\d*\.xml$/i, 'pptx'],
  [/^\/?word\//i, 'docx'],
  [/^\/?xl\//i, 'xlsx'],
  [/^\/?ppt\//i, 'pptx'],
  [/^META-INF\/container\.xml$/i, 'epub'],
];

/** The format of a ZIP archive: by its `mimetype` entry, or by its parts. */
export function zipFormat(bytes: Uint8Array): DocumentFormat {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names = directoryNames(file) ?? localNames(file);
  const type = storedMimetype(file);
  const byType = ODF_TYPES.find(([start]) => type.startsWith(start));
  if (byType !== undefined) return byType[1];
  const byPart = OOXML_PARTS.find(([part]) => names.some((name) => part.test(name)));
  return byPart?.[1] ?? 'archive';
}

/** Whether the first entry is one that packages begin with, and other archives do not have. */
export function startsAsPackage(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(30, 60)).toString('latin1');
  return /^(?:\[Content_Types\]\.xml|mimetype|_rels\/|docProps\/|META-INF\/)/.test(start);
}

/** The first entry of ODF and EPUB is their type, not compressed. */
function storedMimetype(file: Buffer): string {
  const start = file.toString('latin1', 0, 200);
  const at = start.indexOf('mimetype');
  return at === 30 ? start.slice(38).replace(/^[^a]*/, '') : '';
}

function directoryNames(file: Buffer): string[] | undefined {
  const end = file.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  if (end < 0 || end + 22 > file.length || file.readUInt32LE(end) !== END_OF_DIRECTORY)
    return undefined;
  let at = file.readUInt32LE(end + 16);
  const names: string[] = [];
  while (at + 46 <= file.length && names.length < MAX_NAMES) {
    if (file.readUInt32LE(at) !== DIRECTORY_ENTRY) break;
    const length = file.readUInt16LE(at + 28);
    names.push(file.toString('utf8', at + 46, at + 46 + length));
    at += 46 + length + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return names.length > 0 ? names : undefined;
}

/** Of a truncated archive: the entries that are there. */
function localNames(file: Buffer): string[] {
  const mark = Buffer.from('PK\u0003\u0004', 'latin1');
  const names: string[] = [];
  let at = file.indexOf(mark);
  while (at >= 0 && at + 30 <= file.length && names.length < MAX_NAMES) {
    if (file.readUInt32LE(at) !== LOCAL_ENTRY) break;
    names.push(file.toString('utf8', at + 30, at + 30 + file.readUInt16LE(at + 26)));
    at = file.indexOf(mark, at + 30);
  }
  return names;
}

/** What a compound file is: a document, or an encrypted package of a newer format. */
export type CompoundKind = 'doc' | 'xls' | 'ppt' | 'msg' | 'encrypted' | 'other';

const STREAMS: readonly (readonly [name: string, kind: CompoundKind])[] = [
  ['EncryptedPackage', 'encrypted'],
  ['WordDocument', 'doc'],
  ['PowerPoint Document', 'ppt'],
  ['PP97_DUALSTORAGE', 'ppt'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['__properties_version1.0', 'msg'],
];

/** Reads the names of the directory; it follows the chain of its sectors, a limited number. */
export function compoundKind(bytes: Uint8Array): CompoundKind {
  const names = new Set(compoundNames(bytes));
  return STREAMS.find(([name]) => names.has(name))?.[1] ?? 'other';
}

function compoundNames(bytes: Uint8Array): string[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 512) return [];
  const shift = file.readUInt16LE(30);
  const size = shift === 12 ? 4096 : 512;
  const names: string[] = [];
  const seen = new Set<number>();
  let sector = file.readUInt32LE(48);
  while (!seen.has(sector) && seen.size < MAX_DIRECTORY_SECTORS) {
    seen.add(sector);
    const start = (sector + 1) * size;
    if (start + size > file.length + size || start >= file.length) break;
    for (let at = start; at + 128 <= Math.min(start + size, file.length); at += 128) {
      const length = file.readUInt16LE(at + 64);
      if (length >= 2 && length <= 64) names.push(file.toString('utf16le', at, at + length - 2));
    }
    sector = nextSector(file, sector, size);
  }
  return names;
}

/** By the first part of the allocation table, which the header lists; enough for a directory. */
function nextSector(file: Buffer, sector: number, size: number): number {
  const perTable = size / 4;
  const table = Math.floor(sector / perTable);
  if (table >= 109) return sector;
  const at = (file.readUInt32LE(76 + table * 4) + 1) * size + (sector % perTable) * 4;
  return at + 4 <= file.length ? file.readUInt32LE(at) : sector;
}
