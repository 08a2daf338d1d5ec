import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { simplePdf } from './pdf/simple-pdf.fixture.ts';
import { readDocument } from './read-document.ts';

const PAGES = { first: 3, last: 7 };

verifies('documents:places', 'pages that the document does not have are refused', async () => {
  const pdf = simplePdf([[{ text: 'One', x: 50, y: 700 }], [{ text: 'Two', x: 50, y: 700 }]]);
  await expect(readDocument(pdf, { pages: PAGES })).rejects.toMatchObject({
    class: 'validation',
    field: 'pages',
  });
  const { parts } = await readDocument(pdf, { pages: { first: 2, last: 7 } });
  expect(parts.map(({ place }) => place)).toEqual([{ is: 'page', page: 2 }]);
});

verifies('documents:places', 'a document without pages is read whole, with a notice', async () => {
  const text = new Uint8Array(Buffer.from('A line.\n'));
  const { parts, notices } = await readDocument(text, { pages: PAGES });
  expect(parts).toHaveLength(1);
  expect(notices).toEqual([{ code: 'document_has_no_pages', params: {} }]);
});

verifies(
  'documents:formats',
  'an empty file has no type that its name could contradict',
  async () => {
    const { parts, notices } = await readDocument(new Uint8Array(), { name: 'a.pdf' });
    expect(parts.map(({ markdown }) => markdown).join('')).toBe('');
    expect(notices).toEqual([]);
  },
);
