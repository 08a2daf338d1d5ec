import { Buffer } from 'node:buffer';
import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { decodeHtml, htmlEncoding } from './decode.ts';

/** Starts of pages and the encoding that browsers read in them. */
const STARTS: readonly [html: string, encoding: string][] = [
  ['<meta charset="iso8859-2">', 'iso-8859-2'],
  ['<meta\ncharset = iso8859-2 >', 'iso-8859-2'],
  ['<metacharset=iso8859-2>', 'windows-1252'],
  ['<meta http-equiv=Content-Type content="text/html; charset=koi8-r">', 'koi8-r'],
  ['<meta content="text/html; charset=koi8-r" http-equiv="content-type">', 'koi8-r'],
  ['<meta content="text/html; charset=koi8-r">', 'windows-1252'],
  ['<meta name=x content="text/html; charset=koi8-r">', 'windows-1252'],
  [`<meta http-equiv=Content-Type content="text/html; charset='koi8-r">`, 'windows-1252'],
  ['<!-- <meta charset=koi8-r> --><meta charset=euc-jp>', 'euc-jp'],
  ['<p title="<meta charset=koi8-r>"><meta charset=euc-jp>', 'euc-jp'],
  ['<meta charset="bogus"><meta charset=euc-jp>', 'euc-jp'],
  ['<meta charset=koi8-r><meta charset=euc-jp>', 'koi8-r'],
  ['<meta test="\' charset=koi8-r><p>"', 'windows-1252'],
  ['<meta charset=euc-jp', 'windows-1252'],
  ['<meta charset="UTF-16LE">', 'utf-8'],
  ['<?xml version="1.0" encoding="utf-16"?><html>', 'utf-8'],
  ['<meta =x charset=koi8-r>', 'koi8-r'],
  [`<!-- ${'x'.repeat(9000)} --><meta charset=koi8-r>`, 'koi8-r'],
  ['<', 'windows-1252'],
  ['', 'windows-1252'],
];

verifies('extract:encodings', 'the charset that a page states is found as browsers find it', () => {
  const found = STARTS.map(([html]) => [html, htmlEncoding(Buffer.from(html), undefined)]);
  expect(found).toEqual(STARTS);
});

verifies('extract:encodings', 'bytes that are UTF-8 are read so, whatever a page states', () => {
  const page = Buffer.from('<meta charset=iso-8859-1><p>naïve 東京</p>');
  expect(decodeHtml(page, undefined)).toContain('naïve 東京');
  const bare = Buffer.from('<p>naïve</p>', 'latin1');
  expect(decodeHtml(bare, undefined)).toContain('naïve');
});
