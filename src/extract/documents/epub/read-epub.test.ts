import { expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { archiveOf } from '../office/office-files.fixture.ts';
import { readEpub } from './read-epub.ts';

const PARTS = {
  'META-INF/container.xml':
    '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
  'OPS/book.opf':
    '<package><metadata><dc:title>Book</dc:title><dc:creator>Ann</dc:creator></metadata><manifest><item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
  'OPS/nav.xhtml':
    '<html><body><nav epub:type="toc"><ol><li><a href="b.xhtml#x">Opening</a></li></ol></nav></body></html>',
  'OPS/a b.xhtml': '<html><body><p>second</p></body></html>',
  'OPS/b.xhtml':
    '<html><head><title>t</title></head><body><h1>Opening</h1><nav>kept too</nav><p>first <a href="a%20b.xhtml">link</a></p></body></html>',
};

verifies('documents-office:places', 'chapters are read in the order of the spine', async () => {
  const { parts, title, author } = await readEpub(archiveOf(PARTS), {});
  expect({ title, author }).toEqual({ title: 'Book', author: 'Ann' });
  expect(parts).toEqual([
    {
      place: { is: 'section', section: 1, title: 'Opening' },
      markdown: '# Opening\n\nkept too\n\nfirst link',
    },
    { place: { is: 'section', section: 2 }, markdown: 'second' },
  ]);
});

verifies('documents-office:hostile', 'a file that the spine names often is read once', async () => {
  const book = PARTS['OPS/book.opf'].replace('</spine>', '<itemref idref="a"/>'.repeat(1000));
  const { parts } = await readEpub(archiveOf({ ...PARTS, 'OPS/book.opf': `${book}</spine>` }), {});
  expect(parts).toHaveLength(2);
});

verifies('documents-office:encrypted', 'a book with encrypted chapters is refused', () => {
  const encryption =
    '<encryption><EncryptedData><CipherData><CipherReference URI="OPS/b.xhtml"/></CipherData></EncryptedData></encryption>';
  expect(() =>
    readEpub(archiveOf({ ...PARTS, 'META-INF/encryption.xml': encryption }), {}),
  ).toThrow(/encrypted/);
});
