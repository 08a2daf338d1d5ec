import { expect, test } from 'vitest';
import { documentText } from './document-text.ts';
import { refusedBy } from './refused.fixture.ts';

const bytes = (text: string | Uint8Array, mediaType = 'text/plain') => ({
  base64: Buffer.from(text).toString('base64'),
  mediaType,
});

test.each(['text/plain', 'text/markdown', 'text/csv', 'application/json', 'text/html; charset=x'])(
  'a document of the type %s is its text',
  (type) => {
    expect(documentText(bytes('Grüße, 世界', type), 'f')).toBe('Grüße, 世界');
  },
);

test('the mark at the beginning of a text is no part of it', () => {
  expect(documentText(bytes('\uFEFFa;b'), 'f')).toBe('a;b');
});

test('what is no text, or elsewhere, stays a document', () => {
  expect(documentText(bytes('%PDF-', 'application/pdf'), 'f')).toBeUndefined();
  expect(documentText({ url: 'https://a.example/a.txt' }, 'f')).toBeUndefined();
});

test.each([
  ['no UTF-8', Uint8Array.of(0xff, 0xfe, 0x41, 0x00)],
  ['half a character', Uint8Array.of(0x61, 0xe4, 0xb8)],
  ['nothing', ''],
])('a text that is %s is refused by its field', (_, content) => {
  expect(refusedBy(() => documentText(bytes(content), 'f'))).toBe('validation f');
});

test('a text that was not encoded is refused', () => {
  const raw = { base64: 'Grüße! This was never base64.', mediaType: 'text/plain' };
  expect(refusedBy(() => documentText(raw, 'f'))).toBe('validation f');
});
