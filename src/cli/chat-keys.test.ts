import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeySplitter, type Typed } from './chat-keys.ts';

const BEGIN = '\u001b[200~';
const END = '\u001b[201~';

function splitAll(chunks: readonly string[], maxPasteChars = 100): Typed[] {
  const split = createKeySplitter(maxPasteChars);
  const all: Typed[] = [];
  for (const typed of chunks.flatMap((chunk) => split(chunk))) {
    const last = all.at(-1);
    if (last?.is === 'keys' && typed.is === 'keys') {
      all.splice(-1, 1, { is: 'keys', text: last.text + typed.text });
    } else all.push(typed);
  }
  return all;
}

test('keys and pastes are told apart, and neither is changed', () => {
  expect(splitAll([`ab${BEGIN}x\ry${END}\r`])).toEqual([
    { is: 'keys', text: 'ab' },
    { is: 'paste', text: 'x\ry' },
    { is: 'keys', text: '\r' },
  ]);
});

test('it makes no difference in which pieces they arrive', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\r', '[', '2', '~', 'é'), maxLength: 8 });
  const piece = fc.oneof(
    text.map((keys) => ({ keys, paste: undefined })),
    text.map((paste) => ({ keys: undefined, paste })),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }),
      fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 9 }),
      (pieces, sizes) => {
        const whole = pieces.map(({ keys, paste }) => keys ?? `${BEGIN}${paste}${END}`).join('');
        const chunks: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          // The key Escape comes alone; a mark is never cut behind its first character.
          let size = sizes[turn % sizes.length] ?? 2;
          while (whole[at + size - 1] === '\u001b') size += 1;
          chunks.push(whole.slice(at, at + size));
          at += size;
        }
        expect(splitAll(chunks)).toEqual(splitAll([whole]));
      },
    ),
  );
});

test('the key Escape waits for nothing', () => {
  expect(splitAll(['\u001b'])).toEqual([{ is: 'keys', text: '\u001b' }]);
});

test('a paste that is too long is told once, and the keys behind it are keys', () => {
  const chunks = [BEGIN, 'x'.repeat(60), 'x'.repeat(60), `${END}ok`];
  expect(splitAll(chunks)).toEqual([{ is: 'huge paste' }, { is: 'keys', text: 'ok' }]);
  expect(splitAll([...chunks, `${BEGIN}y${END}`]).at(-1)).toEqual({ is: 'paste', text: 'y' });
});

test('Ctrl-C gets out of a paste that has no end', () => {
  expect(splitAll([`${BEGIN}lost`, 'more', '\u0003', 'a'])).toEqual([
    { is: 'keys', text: '\u0003a' },
  ]);
});
