import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { extractText } from './extract-text.ts';
import { officeText } from './office-text.ts';

/** A ZIP archive without checksums, which are not read. */
function zip(parts: Readonly<Record<string, string>>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const content = deflateRawSync(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    const body = Buffer.concat([local, Buffer.from(name), content]);
    offset += body.length;
    bodies.push(body);
    directory.push(entry, Buffer.from(name));
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

describe('the text of an office document', () => {
  const docx = zip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': '<w:p><w:t>Nordbau &amp; sons</w:t></w:p><w:p><w:t>Nine years</w:t></w:p>',
  });

  test('is that of its paragraphs', () => {
    expect(extractText(docx, 'application/zip')).toBe('Nordbau & sons\nNine years');
    expect(officeText(zip({ 'ppt/slides/slide1.xml': '<a:p>One</a:p>' }))).toBe('One');
  });

  test('is empty where the archive is damaged, wherever that is', () => {
    expect(officeText(docx.subarray(0, docx.length - 22))).toBe('');
    for (let at = 0; at < docx.length; at += 1) {
      const damaged = Buffer.from(docx);
      damaged[at] = 0xff;
      expect(typeof officeText(damaged)).toBe('string');
    }
  });
});
