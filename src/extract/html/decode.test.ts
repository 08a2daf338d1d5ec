import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { decodeHtml, htmlEncoding } from './decode.ts';

const CASES = resolve('../shared/documents/encodings.json');

interface EncodingCase {
  readonly id: string;
  readonly data_base64: string;
  readonly encoding: string;
}

test.skipIf(!existsSync(CASES))('the prescan settles on the encoding of every known case', () => {
  const { cases } = JSON.parse(readFileSync(CASES, 'utf8')) as { cases: readonly EncodingCase[] };
  const wrong = cases.filter(({ data_base64, encoding }) => {
    const found = htmlEncoding(Buffer.from(data_base64, 'base64'), undefined);
    return found !== new TextDecoder(encoding).encoding;
  });
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

verifies('extract:encodings', 'a declaration counts only where the standard reads one', () => {
  const rows: readonly (readonly [html: string, encoding: string])[] = [
    ['<meta charset="iso-8859-2">', 'iso-8859-2'],
    ['<meta content="text/html; charset=euc-jp" http-equiv="Content-Type">', 'euc-jp'],
    ['<meta content="text/html; charset=euc-jp">', 'windows-1252'],
    ['<!-- <meta charset="iso-8859-2"> -->', 'windows-1252'],
    ['<title title="<meta charset=koi8-r>"><meta charset=utf-16>', 'utf-8'],
    ['<?xml version="1.0" encoding="shift_jis"?><html>', 'shift_jis'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<meta charset=unknown-name><meta charset=koi8-r>', 'koi8-r'],
    ['<meta charset=euc-jp', 'windows-1252'],
  ];
  for (const [html, encoding] of rows)
    expect([html, htmlEncoding(Buffer.from(html), undefined)]).toEqual([html, encoding]);
  expect(htmlEncoding(Buffer.from('<p>'), 'text/html; charset="koi8-r"')).toBe('koi8-r');
});

test('a page that declares UTF-8 and is not is read by its bytes', () => {
  const arabic = Buffer.from('edd1ebe120c7e1d1cce120c7e1cdedede3', 'hex');
  const page = Buffer.concat([Buffer.from('<meta charset=utf-8><p>'), arabic]);
  expect(decodeHtml(page, undefined)).toContain(new TextDecoder('windows-1256').decode(arabic));
});
