import { strFromU8, strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { openZip } from './zip-archive.ts';
import { ZIP_LIMITS } from './zip-limits.ts';

const TWO = zipSync({ 'a.xml': strToU8('one'), 'dir/B.xml': [strToU8('two'), { level: 0 }] });

test('entries are read by name, without regard to case', () => {
  const archive = openZip(TWO, 'DOCX');
  expect(strFromU8(archive.read('A.XML') ?? new Uint8Array())).toBe('one');
  expect(strFromU8(archive.read('/dir/b.xml') ?? new Uint8Array())).toBe('two');
  expect(archive.read('none')).toBeUndefined();
});

test('bytes before and after the archive do not matter', () => {
  const around = new Uint8Array(TWO.length + 200);
  around.set(TWO, 100);
  const archive = openZip(around, 'DOCX');
  expect(strFromU8(archive.read('a.xml') ?? new Uint8Array())).toBe('one');
});

test('names that lead out of the archive are not entries', () => {
  const archive = openZip(zipSync({ '../x': strToU8('x'), y: strToU8('y') }), 'DOCX');
  expect(archive.entries.map(({ name }) => name)).toEqual(['y']);
});

verifies('documents-office:hostile', 'a bomb is refused by what it states', () => {
  const bomb = zipSync({ 'a.xml': new Uint8Array(4_000_000) });
  const limits = { ...ZIP_LIMITS, ratioFromBytes: 1_000_000, maxRatio: 100 };
  expect(() => openZip(bomb, 'DOCX', limits).read('a.xml')).toThrow(
    expect.objectContaining({ class: 'too_large' }),
  );
});

verifies('documents-office:hostile', 'a bomb that states a small size is refused in time', () => {
  const bomb = zipSync({ 'a.xml': new Uint8Array(4_000_000) });
  const view = new DataView(bomb.buffer);
  const central = bomb.length - 22 - 46 - 'a.xml'.length;
  expect(view.getUint32(central, true)).toBe(0x02014b50);
  view.setUint32(central + 24, 10, true);
  let seen = 0;
  const archive = openZip(bomb, 'DOCX', { ...ZIP_LIMITS, maxEntryBytes: 500_000 });
  expect(() => archive.stream('a.xml', (bytes) => (seen += bytes.length))).toThrow(
    expect.objectContaining({ class: 'too_large' }),
  );
  expect(seen).toBeLessThanOrEqual(500_000);
});

verifies('documents-office:hostile', 'an archive that is cut off anywhere is refused', () => {
  for (let length = 0; length < TWO.length; length++)
    expect(() => openZip(TWO.slice(0, length), 'DOCX')).toThrow(
      expect.objectContaining({ class: 'validation' }),
    );
});

verifies('documents-office:hostile', 'a changed byte gives a result or a typed error', () => {
  for (let at = 0; at < TWO.length; at++) {
    const changed = TWO.slice();
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    try {
      const archive = openZip(changed, 'DOCX');
      for (const { name } of archive.entries) archive.read(name);
    } catch (error) {
      expect(error).toMatchObject({ name: 'CallError' });
    }
  }
});

verifies('documents-office:encrypted', 'an encrypted entry needs a password', () => {
  const bytes = TWO.slice();
  const central = new DataView(bytes.buffer).getUint32(bytes.length - 6, true);
  bytes[central + 8] = 1;
  expect(() => openZip(bytes, 'DOCX').read('a.xml')).toThrow(
    expect.objectContaining({ class: 'auth' }),
  );
});
