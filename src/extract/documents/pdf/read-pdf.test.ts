import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { DocumentContent, DocumentSource } from '#core/extract/document.ts';
import { verifies } from '../../../../test/verifies.ts';
import { readPdf } from './read-pdf.ts';
import { pdfOf, simplePdf, type PlacedText } from './simple-pdf.fixture.ts';

async function read(bytes: Uint8Array, source: DocumentSource = {}): Promise<DocumentContent> {
  return readPdf(bytes, source);
}

async function textOf(texts: readonly PlacedText[]): Promise<string> {
  return (await read(simplePdf([texts]))).parts.map(({ markdown }) => markdown).join('\n\n');
}

/** Lines of prose, one below the other. */
function column(x: number, words: string, lines = 8): PlacedText[] {
  return Array.from({ length: lines }, (_, at) => ({
    text: `${words} goes on in line ${at + 1} of its column`,
    x,
    y: 700 - at * 12,
  }));
}

verifies(
  'documents:reading-order',
  'columns of a PDF page are read one after the other',
  async () => {
    const text = await textOf([
      { text: 'A title across both columns of this page', x: 150, y: 740, size: 20 },
      ...column(50, 'The left text'),
      ...column(330, 'The right text'),
    ]);
    expect(text.startsWith('# A title across both columns of this page')).toBe(true);
    const lastLeft = text.indexOf('The left text goes on in line 8');
    const firstRight = text.indexOf('The right text goes on in line 1');
    expect(lastLeft).toBeGreaterThan(0);
    expect(firstRight).toBeGreaterThan(lastLeft);
  },
);

verifies('documents:tables', 'aligned cells of a PDF page become a Markdown table', async () => {
  const rows = [
    ['Product', 'Price', 'Stock'],
    ['Lamp', '12.50', '7'],
    ['Chair', '80.00', '120'],
    ['Table', '240.00', '3'],
  ];
  const text = await textOf(
    rows.flatMap((cells, row) =>
      cells.map((cell, at) => ({ text: cell, x: 60 + at * 120, y: 700 - row * 16 })),
    ),
  );
  expect(text).toBe(
    [
      '| Product | Price | Stock |',
      '| --- | --- | --- |',
      '| Lamp | 12.50 | 7 |',
      '| Chair | 80.00 | 120 |',
      '| Table | 240.00 | 3 |',
    ].join('\n'),
  );
});

test('a word that is divided at the end of a line becomes whole', async () => {
  const text = await textOf([
    { text: 'The committee discussed the imple-', x: 60, y: 700 },
    { text: 'mentation of the new rules at length.', x: 60, y: 688 },
  ]);
  expect(text).toBe('The committee discussed the implementation of the new rules at length.');
});

verifies(
  'documents:places',
  'a PDF page keeps its number when only some pages are read',
  async () => {
    const pages = [1, 2, 3, 4].map((page) => [{ text: `Text of page ${page}`, x: 60, y: 700 }]);
    const { parts, pageCount } = await read(simplePdf(pages), { pages: { first: 2, last: 3 } });
    expect(pageCount).toBe(4);
    expect(parts).toEqual([
      { place: { is: 'page', page: 2 }, markdown: 'Text of page 2' },
      { place: { is: 'page', page: 3 }, markdown: 'Text of page 3' },
    ]);
  },
);

test('text on a rotated page is read along its own lines', async () => {
  const content = ['First', 'Second', 'Third']
    .map((text, at) => `BT /F1 10 Tf 0 1 -1 0 ${100 + at * 14} 60 Tm (${text} line) Tj ET`)
    .join('\n');
  const { parts } = await read(pdfOf([content], { page: '/Rotate 90' }));
  expect(parts[0]?.markdown).toBe('First line\nSecond line\nThird line');
});

test('the values of form fields and the titles of bookmarks are used', async () => {
  const bytes = simplePdf([[{ text: 'Terms of use', x: 60, y: 700 }]], {
    catalog: '/Outlines 1000 0 R /AcroForm << /Fields [1002 0 R] >>',
    page: '/Annots [1002 0 R]',
    objects: [
      '<< /Type /Outlines /First 1001 0 R /Last 1001 0 R /Count 1 >>',
      '<< /Title (Terms of use) /Parent 1000 0 R /Dest [10 0 R /Fit] >>',
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /TU (Your name) /V (Ada) /Rect [60 600 200 620] >>',
    ],
  });
  const { parts } = await read(bytes);
  expect(parts[0]?.markdown).toBe('# Terms of use\n\n- Your name: Ada');
});

verifies('documents:scanned', 'a PDF page that is a picture is named as scanned', async () => {
  const picture =
    '<< /Type /XObject /Subtype /Image /Width 2000 /Height 3000 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 4 >> stream\nabcd\nendstream';
  const bytes = pdfOf(
    [
      'q 612 0 0 792 0 0 cm /Im0 Do Q',
      'BT /F1 10 Tf 60 700 Td (A page of text, not a picture at all) Tj ET',
    ],
    {
      objects: [picture],
    },
  );
  const file = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll('/Resources <<', '/Resources << /XObject << /Im0 1000 0 R >>');
  const { notices, parts } = await read(new Uint8Array(Buffer.from(file, 'latin1')));
  expect(notices).toEqual([{ code: 'document_pages_scanned', params: { pages: [1], total: 2 } }]);
  expect(parts[0]?.markdown).toBe('');
});

verifies(
  'documents:hostile',
  'a compressed stream that unpacks to a gigabyte is refused',
  async () => {
    const inner = deflateSync(Buffer.alloc(140 * 1024 * 1024, 32));
    const bytes = Buffer.concat([
      Buffer.from(`%PDF-1.7\n1 0 obj << /Length ${inner.length} /Filter /FlateDecode >> stream\n`),
      inner,
      Buffer.from('\nendstream endobj\n'),
    ]);
    await expect(read(new Uint8Array(bytes))).rejects.toMatchObject({ class: 'too_large' });
  },
);

verifies(
  'documents:hostile',
  'a page tree that claims millions of pages, or contains itself, ends',
  async () => {
    const one = Buffer.from(simplePdf([[{ text: 'One page', x: 60, y: 700 }]])).toString('latin1');
    const claimed = one.replace('/Count 1', '/Count 9000000');
    const { pageCount } = await read(new Uint8Array(Buffer.from(claimed, 'latin1')));
    expect(pageCount).toBe(1);
    const many = pdfOf(Array.from({ length: 20_001 }, () => ''));
    await expect(read(many)).rejects.toMatchObject({ class: 'too_large' });
    const cyclic = Buffer.from(
      '%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n',
    );
    const { parts } = await read(new Uint8Array(cyclic));
    expect(parts.map(({ markdown }) => markdown).join('')).toBe('');
  },
);

test('bytes that only begin like a PDF are refused', async () => {
  await expect(read(new Uint8Array(Buffer.from('%PDF-1.7\nnothing')))).rejects.toMatchObject({
    class: 'validation',
    field: 'document',
  });
});

test('a header that pages share is no heading, and a title is', async () => {
  const page = (number: number): PlacedText[] => [
    { text: 'Tide Survey Quarterly', x: 50, y: 760, size: 12 },
    ...(number === 1 ? [{ text: 'Tides', x: 50, y: 720, size: 20 }] : []),
    ...column(50, 'The survey', 20),
    { text: `Harbour Institute, page ${number}`, x: 50, y: 30, size: 12 },
  ];
  const { parts } = await read(simplePdf([page(1), page(2)]));
  const text = parts.map(({ markdown }) => markdown).join('\n');
  expect(text.match(/^#.*$/gm)).toEqual(['# Tides']);
  expect(text).toContain('Harbour Institute, page 2');
});

test('lines whose words are spread over the column are one paragraph', async () => {
  const spread = (words: string, y: number): PlacedText[] => {
    let x = 50;
    return words.split(' ').map((text) => {
      const placed = { text, x, y };
      x += text.length * 5 + 14;
      return placed;
    });
  };
  const text = await textOf([
    { text: 'The survey of coastal stations fills this line of its column wholly', x: 50, y: 700 },
    ...spread('is of a length that lets us see how far tides', 688),
    ...spread('differ whenever strong northern winds blow', 676),
    { text: 'the fjord.', x: 50, y: 664 },
  ]);
  expect(text).not.toContain('|');
  expect(text.split('\n')).toHaveLength(1);
});

test('lines of a table of contents stay apart, without their dots', async () => {
  const text = await textOf(
    ['6.10 List of clients', '6.11 List of servers', '6.12 List of tools'].map((title, at) => ({
      text: `${title} ${'. '.repeat(40)}${114 + at}`,
      x: 50,
      y: 700 - at * 12,
    })),
  );
  expect(text.split('\n')[1]).toBe('6.11 List of servers \u2026 115');
});

test('a page of too many pieces of text is refused', async () => {
  const pieces = Array.from({ length: 300_000 }, (_, at) => ({
    text: 'ab',
    x: (at % 300) * 2,
    y: Math.floor(at / 300) % 790,
    size: 1,
  }));
  await expect(read(simplePdf([pieces]))).rejects.toMatchObject({ class: 'too_large' });
});

test('bytes that are kept stay as they are, and bytes that may be taken are not copied', async () => {
  const kept = simplePdf([[{ text: 'The vault opens at nine', x: 50, y: 700 }]]);
  const taken = kept.slice();
  const before = kept.slice();
  const first = await readPdf(kept, {}, 'kept');
  expect(kept).toEqual(before);
  expect(await readPdf(taken, {}, 'taken')).toEqual(first);
  expect(taken).toHaveLength(0);
});
