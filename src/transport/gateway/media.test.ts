import { expect, test } from 'vitest';
import { isMediaType, readWebUrl, type MediaKind } from './media.ts';
import { refusedBy } from './refused.fixture.ts';

test.each(['https://a.example/x.png', 'HTTP://a.example:8080/'])('%s can be asked for', (url) => {
  expect(readWebUrl(url, 'image', 'f')).toBe(url);
});

test.each([
  '',
  'x.png',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://',
  'http://[::1',
  `https://a.example/${'x'.repeat(9000)}`,
])('%s is refused', (url) => {
  expect(refusedBy(() => readWebUrl(url, 'image', 'f'))).toBe('validation f');
});

test.each<[string, MediaKind, boolean]>([
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
