import { expect, test } from 'vitest';
import { isTextMediaType } from './text-media-type.ts';

test.each([
  'text/plain',
  'TEXT/Markdown',
  'text/csv; charset=utf-8',
  'text/x-python',
  'application/json',
  'application/ld+json',
  'application/x-yaml',
  'application/x-ndjson',
])('%s is text', (type) => {
  expect(isTextMediaType(type)).toBe(true);
});

test.each([
  '',
  'text',
  'text/',
  'application/pdf',
  'application/octet-stream',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'image/png',
  'image/svg+xml',
  `application/${'a+'.repeat(50_000)}json`,
])('%.40s is not', (type) => {
  expect(isTextMediaType(type)).toBe(false);
});
