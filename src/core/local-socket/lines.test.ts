import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallError } from '../errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { createLines } from './lines.ts';

function collect(maxBytes = 1024) {
  const told: string[] = [];
  const refused: CallError['class'][] = [];
  const lines = createLines({
    maxBytes,
    onLine: (line) => told.push(line),
    onRefused: (error) => refused.push(error.class),
  });
  return { lines, told, refused };
}

test('lines come out whole however their bytes arrive, characters of several bytes included', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 40 }).map((s) => s.replace(/[\r\n]/g, ''));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.infiniteStream(fc.nat(9)), (words, sizes) => {
      const { lines, told, refused } = collect(4096);
      const bytes = Buffer.from(words.map((each) => `${each}\n`).join(''));
      for (let at = 0; at < bytes.length;) {
        const size = 1 + (sizes.next().value ?? 0);
        lines.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(told).toEqual(words.filter((each) => each !== ''));
      expect(refused).toEqual([]);
    }),
  );
});

test('empty lines are left out and a CRLF ends a line too', () => {
  const { lines, told } = collect();
  lines.push(Buffer.from('\n\r\na\r\n\nb\r'));
  lines.push(Buffer.from('\nc'));
  expect(told).toEqual(['a', 'b']);
});

test('at the end of the input the rest is a line like any other', () => {
  const { lines, told, refused } = collect(8);
  lines.push(Buffer.from('a\nlast'));
  lines.end();
  lines.end();
  lines.push(Buffer.from('123456789'));
  lines.end();
  expect([told, refused]).toEqual([['a', 'last'], ['too_large']]);
});

test('a line over the limit is rejected once, skipped to its end and not stored', () => {
  const { lines, told, refused } = collect(8);
  lines.push(Buffer.from('12345678\r\n'));
  lines.push(Buffer.from('123456789\nok\n'));
  for (let i = 0; i < 1000; i++) lines.push(Buffer.alloc(1000, 'x'));
  lines.push(Buffer.from('\nfine\n'));
  expect(told).toEqual(['12345678', 'ok', 'fine']);
  expect(refused).toEqual(['too_large', 'too_large']);
});

test('a line that is not UTF-8 is refused and the next one read', () => {
  const { lines, told, refused } = collect();
  lines.push(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a, 0x61, 0x0a]));
  expect(told).toEqual(['a']);
  expect(refused).toEqual(['bad_request']);
});

test('a line is refused exactly when its bytes are not UTF-8, U+FFFD itself included', () => {
  const piece = fc.constantFrom([0xef, 0xbf, 0xbd], [0xef, 0xbf], [0xc3, 0xbc], [0xc3], [0x61]);
  const loose = fc.uint8Array({ maxLength: 8 }).map((bytes) => [...bytes]);
  const line = fc.array(fc.oneof(piece, loose), { minLength: 1 }).map((parts) => parts.flat());
  fc.assert(
    fc.property(line, (given) => {
      const bytes = Buffer.from([0x22, ...given.filter((byte) => byte !== 0x0a), 0x22]);
      const { lines, told, refused } = collect();
      lines.push(Buffer.concat([bytes, Buffer.from('\n')]));
      expect(told).toEqual(isUtf8(bytes) ? [bytes.toString('utf8')] : []);
      expect(refused).toEqual(isUtf8(bytes) ? [] : ['bad_request']);
    }),
  );
});

test('a long line in tiny pieces takes time in proportion to its length', () => {
  const { lines, told } = collect(4_000_000);
  const piece = Buffer.from('abcd');
  for (let i = 0; i < 500_000; i++) lines.push(piece);
  lines.push(Buffer.from('\n'));
  expect(told[0]?.length).toBe(2_000_000);
});

test('what a line was read from may be used again at once', () => {
  const { lines, told } = collect();
  const shared = Buffer.from('ab\ncd');
  lines.push(shared);
  shared.fill('x');
  lines.push(Buffer.from('e\n'));
  expect(told).toEqual(['ab', 'cde']);
});

function counted(mostBytes: number) {
  const told: string[] = [];
  let held = 0;
  const lines = createLines({
    maxBytes: 1000,
    onLine: (line) => void told.push(line),
    onRefused: (error) => void told.push(error.class),
    holding: {
      reserve(bytes) {
        if (held + bytes > mostBytes) return false;
        held += bytes;
        return true;
      },
      release: () => void (held = 0),
    },
  });
  const push = (text: string) => lines.push(Buffer.from(text));
  return { lines, push, told, held: () => held };
}

verifies('security:unfinished', 'a line that has no end yet is counted until it has one', () => {
  const { push, told, held } = counted(10_000);
  push('whole\nhalf');
  expect([told, held() > 0]).toEqual([['whole'], true]);
  push(' and half\n');
  expect([told, held()]).toEqual([['whole', 'half and half'], 0]);
});

test('a line that finds no room is refused, and the next is read as ever', () => {
  const { push, told, held } = counted(100);
  push('half');
  push(' and half\nnext\n');
  expect([told, held()]).toEqual([['over_capacity', 'next'], 0]);
});

test('a line that is dropped is refused, and the next is read as ever', () => {
  const { lines, push, told, held } = counted(10_000);
  push('half');
  lines.drop();
  push(' and half\nnext\n');
  expect([told, held()]).toEqual([['timeout', 'next'], 0]);
});
