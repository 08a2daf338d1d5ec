import { Buffer } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { FormatReader } from '../reader.ts';
import { buildCompoundFile } from '../../../../test/extract/build-compound-file.ts';
import { verifies } from '../../../../test/verifies.ts';
import { readDocument } from '../read-document.ts';
import { CompoundFile } from './compound-file.ts';
import { decryptPackage, isEncryptedPackage } from './encryption/encrypted-package.ts';
import { readDoc } from './read-doc.ts';
import { readPpt } from './read-ppt.ts';
import { readXls } from './read-xls.ts';

const SHARED = '../shared/documents/';

async function markdownOf(read: FormatReader, bytes: Uint8Array): Promise<string> {
  const { parts } = await read(bytes, {});
  return parts.map(({ markdown }) => markdown).join('\n\n');
}

function record(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type);
  head.writeUInt16LE(body.length, 2);
  return Buffer.concat([head, body]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => bytes.writeUInt16LE(value, at * 2));
  return bytes;
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

/** One sheet with a string, a date and the text of a formula. */
function buildWorkbook(): Buffer {
  const bof = record(0x0809, words(0x0600, 5, 0, 0));
  const styles = [record(0x00e0, words(0, 0)), record(0x00e0, words(0, 14))];
  const strings = record(0x00fc, words(2, 0, 2, 0), text('Name'), text('Größe'));
  const sheetName = Buffer.from('Data', 'latin1');
  const before = Buffer.concat([bof, ...styles, strings]);
  const at = before.length + 4 + 8 + sheetName.length + 4;
  const place = Buffer.alloc(4);
  place.writeUInt32LE(at);
  const sheet = record(0x0085, place, Buffer.from([1, 0, sheetName.length, 0]), sheetName);
  const formula = Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]);
  return Buffer.concat([
    before,
    sheet,
    record(0x000a),
    record(0x0809, words(0x0600, 0x10, 0, 0)),
    record(0x00fd, words(0, 0, 0, 0, 0)),
    record(0x00fd, words(0, 1, 0, 1, 0)),
    record(0x0203, words(1, 0, 1), double(43_363)),
    record(0x0006, words(1, 1, 0), formula, Buffer.alloc(8)),
    record(0x0207, text('a|b')),
    record(0x000a),
  ]);
}

function text(value: string): Buffer {
  return Buffer.concat([words(value.length), Buffer.from([1]), Buffer.from(value, 'utf16le')]);
}

verifies(
  'documents:legacy-office',
  'A workbook gives its strings, dates and results of formulas, and says that a sheet is hidden',
  async () => {
    const file = buildCompoundFile({ Workbook: buildWorkbook() });
    const { parts, pageCount, notices } = await readXls(file, {});
    expect(pageCount).toBe(1);
    expect(parts[0]?.place).toEqual({ is: 'sheet', sheet: 'Data', index: 1 });
    expect(parts[0]?.markdown).toBe('| Name | Größe |\n| --- | --- |\n| 2018-09-20 | a\\|b |');
    expect(notices.map(({ code }) => code)).toEqual(['document_hidden_parts']);
    expect((await readXls(file, { pages: { first: 2, last: 3 } })).parts).toEqual([]);
  },
);

verifies(
  'documents:legacy-office',
  'Word and PowerPoint files give tables, lists, notes and links without the codes of fields',
  async (context) => {
    if (!existsSync(`${SHARED}files/doc-legacy.doc`)) return context.skip();
    const doc = await markdownOf(readDoc, readFileSync(`${SHARED}files/doc-legacy.doc`));
    expect(doc).toContain('| Row 1 Col 1 | Row 1 Col 2 | Row 1 Col 3 |');
    expect(doc).toContain('3. Number bullet 3');
    expect(doc).toContain('[^1]: This is a footnote.');
    expect(doc).not.toContain('HYPERLINK');
    const ppt = await markdownOf(readPpt, readFileSync(`${SHARED}files/ppt-legacy.ppt`));
    expect(ppt).toContain('| Row 2 Col 1 | Row 2 Col 2 | Row 2 Col 3 |');
    expect(ppt).toContain('ゾルゲと尾崎、淡々と最期');
  },
);

verifies(
  'documents:encrypted-package',
  'An encrypted package is refused without its password and opened with it',
  async (context) => {
    const path = `${SHARED}hostile/x-docx-password.docx`;
    if (!existsSync(path)) return context.skip();
    const bytes = readFileSync(path);
    expect(isEncryptedPackage(bytes)).toBe(true);
    const file = new CompoundFile(bytes);
    expect(() => decryptPackage(file, 'wrong', 'Word')).toThrow(/password/);
    const opened = decryptPackage(file, 'pass', 'Word');
    expect(Buffer.from(opened.subarray(0, 2)).toString()).toBe('PK');
    await expect(readDocument(bytes, { name: 'a.docx' })).rejects.toThrow(/password/);
    const { format, parts } = await readDocument(bytes, { name: 'a.docx', password: 'pass' });
    expect(format).toBe('docx');
    expect(parts[0]?.markdown).not.toBe('');
  },
);

verifies('documents:legacy-hostile', 'A stream whose sectors form a cycle is refused', () => {
  const file = buildCompoundFile({ Workbook: buildWorkbook() });
  // The second sector of the stream points back at the first.
  file.writeUInt32LE(2, 512 + 3 * 4);
  expect(() => readXls(file, {})).not.toThrow(RangeError);
  const looped = buildCompoundFile({ Workbook: buildWorkbook() });
  looped.writeUInt32LE(1, 512 + 1 * 4);
  expect(() => new CompoundFile(looped)).toThrow(CallError);
  // A table that counts far more sectors than the file has.
  const counted = Buffer.concat([looped, Buffer.alloc(512 * 2000)]);
  counted.writeUInt32LE(0xffff_ffff, 44);
  expect(() => new CompoundFile(counted)).toThrow(CallError);
});

verifies(
  'documents:legacy-hostile',
  'Truncated and changed files give text or a typed error',
  async () => {
    const file = buildCompoundFile({ Workbook: buildWorkbook() });
    const readers = [readDoc, readXls, readPpt];
    let seed = 7;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed % below;
    };
    for (let round = 0; round < 300; round++) {
      const changed = Buffer.from(
        file.subarray(0, round < 50 ? (file.length * round) / 50 : undefined),
      );
      for (let flip = 0; flip < 10 && changed.length > 0; flip++)
        changed[next(changed.length)] = next(256);
      for (const read of readers) {
        try {
          await read(changed, {});
        } catch (error) {
          expect(error).toBeInstanceOf(CallError);
        }
      }
    }
  },
);
