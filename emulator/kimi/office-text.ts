import { inflateRawSync } from 'node:zlib';

/** The parts of a DOCX, PPTX, XLSX or EPUB that hold its text. */
const TEXT_PART =
  /^(?:word\/document|ppt\/slides\/slide\d{1,4}|xl\/sharedStrings|xl\/worksheets\/sheet\d{1,4})\.xml$|\.x?html$/;
const END_OF_DIRECTORY = Buffer.from('PK\u0005\u0006', 'latin1');
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;
const DEFLATED = 8;
const MAX_PART_BYTES = 20_000_000;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** The text of an office document, a paragraph or row on each line; nothing of a damaged one. */
export function officeText(data: Buffer): string {
  try {
    return [...textParts(data)].map(textOf).join('\n').trim();
  } catch {
    // A ZIP archive that says what is not there.
    return '';
  }
}

function* textParts(data: Buffer): Generator<string> {
  const end = data.lastIndexOf(END_OF_DIRECTORY);
  if (end === -1) return;
  let at = data.readUInt32LE(end + 16);
  while (at < end && data.readUInt32LE(at) === ENTRY) {
    const nameBytes = data.readUInt16LE(at + 28);
    const name = data.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    if (TEXT_PART.test(name)) {
      const local = data.readUInt32LE(at + 42);
      const start =
        local + LOCAL_HEADER_BYTES + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
      const body = data.subarray(start, start + data.readUInt32LE(at + 20));
      const isDeflated = data.readUInt16LE(at + 10) === DEFLATED;
      const part = isDeflated ? inflateRawSync(body, { maxOutputLength: MAX_PART_BYTES }) : body;
      yield part.toString('utf8');
    }
    at += ENTRY_BYTES + nameBytes + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
}

function textOf(xml: string): string {
  return xml
    .replaceAll(/<\/(?:[wa]:)?(?:p|si|row|h\d|li)>/g, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}
