import { expect, test } from 'vitest';
import { zipSync } from 'fflate';
import { verifies } from '../../../test/verifies.ts';
import { detectFormat } from './detect-format.ts';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const zip = (...names: readonly string[]): Uint8Array =>
  zipSync(Object.fromEntries(names.map((name) => [name, new Uint8Array(1)])));
const formatOf = (data: Uint8Array, name?: string): string =>
  detectFormat(data, name === undefined ? {} : { name }).format;

verifies('documents:formats', 'the bytes decide what a document is', () => {
  expect(formatOf(bytes('%PDF-1.4\n'))).toBe('pdf');
  expect(formatOf(zip('[Content_Types].xml', 'word/document.xml'), 'a.pdf')).toBe('docx');
  expect(formatOf(zip('[Content_Types].xml', 'xl/workbook.xml'))).toBe('xlsx');
  expect(formatOf(zip('ppt/presentation.xml'))).toBe('pptx');
  expect(formatOf(zip('readme.txt', 'src/a.c'))).toBe('archive');
  const type = new Uint8Array(Buffer.from('application/vnd.oasis.opendocument.spreadsheet'));
  expect(formatOf(zipSync({ mimetype: [type, { level: 0 }] }))).toBe('ods');
  expect(formatOf(bytes('{\\rtf1 text}'), 'a.doc')).toBe('rtf');
  expect(formatOf(bytes('<!DOCTYPE html><p>Text'), 'a.xls')).toBe('html');
  expect(formatOf(bytes('From: a@b.c\nTo: d@e.f\nSubject: Hi\n\nText'))).toBe('eml');
  expect(formatOf(bytes('{"cells": [], "nbformat": 4}'), 'a.ipynb')).toBe('notebook');
  expect(formatOf(bytes('a;b\n1;2\n'), 'a.csv')).toBe('csv');
  expect(formatOf(bytes('<template><p>Text</p></template>'), 'a.vue')).toBe('text');
  expect(formatOf(bytes('\u001f\u008b\u0008\u0000'))).toBe('archive');
  expect(formatOf(new Uint8Array())).toBe('text');
});

test('a name or type that disagrees is reported, one that says nothing is not', () => {
  const html = bytes('<html><p>Text');
  expect(detectFormat(html, { name: 'a.xls' }).disagrees).toBe('.xls');
  expect(detectFormat(html, { contentType: 'application/pdf' }).disagrees).toBe('application/pdf');
  expect(detectFormat(html, { contentType: 'application/octet-stream' }).disagrees).toBeUndefined();
  expect(detectFormat(html, { name: 'a.html' }).disagrees).toBeUndefined();
});

verifies('documents:formats', 'a file without text is refused by its name', () => {
  const refusal = (data: Uint8Array): string => {
    try {
      return detectFormat(data, {}).format;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : '';
    }
  };
  expect(refusal(bytes('\u0089PNG\r\n\u001a\n\u0000\u0000\u0000'))).toContain('a PNG image');
  expect(refusal(bytes('MZ\u0090\u0000\u0003\u0000\u0000'))).toContain('a Windows program');
  const random = Uint8Array.from({ length: 1024 }, (_, at) => (at * 167 + (at >> 3) * 91) & 255);
  expect(refusal(random)).toContain('binary data');
});
