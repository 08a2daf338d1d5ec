import { describe, expect, test } from 'vitest';
import { isMediaType, readDocumentText, readWebUrl, type GatewayMediaKind } from './media.ts';
import { errorClassAndField } from './thrown-error.fixture.ts';

describe('media', () => {
  test.each(['https://a.example/x.png', 'HTTP://a.example:8080/'])(
    '%s is a valid web URL',
    (url) => {
      expect(readWebUrl(url, 'image', 'f')).toBe(url);
    },
  );

  test.each([
    '',
    'x.png',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'http://[::1',
    `https://a.example/${'x'.repeat(9000)}`,
  ])('%s is refused', (url) => {
    expect(errorClassAndField(() => readWebUrl(url, 'image', 'f'))).toBe('validation f');
  });

  test.each<[string, GatewayMediaKind, boolean]>([
    ['image/png', 'image', true],
    ['video/mp4', 'video', true],
    ['application/pdf', 'file', true],
    ['application/pdf', 'image', false],
    ['image', 'image', false],
    ['pdf', 'file', false],
    [`image/${'x'.repeat(100)}`, 'image', false],
  ])('whether %s is the type of a part that is of the kind %s: %s', (type, kind, isOne) => {
    expect(isMediaType(type, kind)).toBe(isOne);
  });
});

describe('document text', () => {
  const bytes = (text: string | Uint8Array, mediaType = 'text/plain') => ({
    base64: Buffer.from(text).toString('base64'),
    mediaType,
  });

  test.each([
    'text/plain',
    'text/markdown',
    'text/csv',
    'application/json',
    'text/html; charset=x',
  ])('a document of the type %s is its text', (type) => {
    expect(readDocumentText(bytes('Grüße, 世界', type), 'f')).toBe('Grüße, 世界');
  });

  test('a byte order mark is not part of the text', () => {
    expect(readDocumentText(bytes('\uFEFFa;b'), 'f')).toBe('a;b');
  });

  test('a document of another type, or with a URL, stays a document', () => {
    expect(readDocumentText(bytes('%PDF-', 'application/pdf'), 'f')).toBeUndefined();
    expect(readDocumentText({ url: 'https://a.example/a.txt' }, 'f')).toBeUndefined();
  });

  test.each([
    ['no UTF-8', Uint8Array.of(0xff, 0xfe, 0x41, 0x00)],
    ['half a character', Uint8Array.of(0x61, 0xe4, 0xb8)],
    ['nothing', ''],
  ])('a text that is %s is rejected with its field', (_, content) => {
    expect(errorClassAndField(() => readDocumentText(bytes(content), 'f'))).toBe('validation f');
  });

  test.each([
    ['SGVs@@bG8=', 'is invalid at position 5.'],
    ['SGVs\nbG8=', 'is invalid at position 5.'],
    ['SGVsbG8=SGVs', 'is invalid at position 8.'],
  ])('the error of the base64 %j names the position', (base64, message) => {
    const read = () => readDocumentText({ base64, mediaType: 'text/plain' }, 'f');
    expect(read).toThrow(`The base64 of the document ${message}`);
  });

  test('a text that is not base64 is rejected', () => {
    const raw = { base64: 'Grüße! This was never base64.', mediaType: 'text/plain' };
    expect(errorClassAndField(() => readDocumentText(raw, 'f'))).toBe('validation f');
  });
});
