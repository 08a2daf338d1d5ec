import { Buffer } from 'node:buffer';
import { expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { odfOf } from '../office/office-files.fixture.ts';
import { readOdp } from './read-odp.ts';
import { readOds } from './read-ods.ts';
import { readOdt } from './read-odt.ts';

const STYLES =
  '<office:automatic-styles><text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/></text:list-style></office:automatic-styles>';
const TEXT =
  '<office:text><text:tracked-changes><text:changed-region><text:p>gone</text:p></text:changed-region></text:tracked-changes>' +
  '<text:h text:outline-level="2">Part</text:h><text:p>a<text:s text:c="2"/>b<text:note><text:note-body><text:p>why</text:p></text:note-body></text:note></text:p>' +
  '<text:list text:style-name="L1"><text:list-item><text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>' +
  '<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>x</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table></office:text>';
const EXPECTED =
  '## Part\n\na b[^1]\n\n1. one\n2. two\n\n| x |  | y |\n| --- | --- | --- |\n\n[^1]: why';

verifies(
  'documents-office:text',
  'a text document has its headings, notes, lists and tables',
  async () => {
    const { parts } = await readOdt(odfOf(TEXT, { styles: STYLES }), {});
    expect(parts[0]?.markdown).toBe(EXPECTED);
  },
);

verifies('documents-office:text', 'a flat XML file is read as its archive', async () => {
  const flat = `<?xml version="1.0"?><office:document>${STYLES}<office:body>${TEXT}</office:body></office:document>`;
  const { parts } = await readOdt(Buffer.from(flat), {});
  expect(parts[0]?.markdown).toBe(EXPECTED);
});

verifies('documents-office:hostile', 'repeated rows and columns are bounded', async () => {
  const body =
    '<office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16383"/></table:table-row><table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet>';
  const { parts } = await readOds(odfOf(body), {});
  expect(parts[0]?.markdown).toBe('## S\n\n| a |\n| --- |');
});

verifies('documents-office:places', 'the slides of a presentation are parts', async () => {
  const page = (title: string) =>
    `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>${title}</text:p></draw:text-box></draw:frame><draw:custom-shape><text:p>shape</text:p></draw:custom-shape></draw:page>`;
  const read = await readOdp(
    odfOf(`<office:presentation>${page('A')}${page('B')}</office:presentation>`),
    { pages: { first: 2, last: 9 } },
  );
  expect(read.parts).toEqual([{ place: { is: 'slide', slide: 2 }, markdown: '# B\n\nshape' }]);
});

verifies('documents-office:encrypted', 'an encrypted file needs a password', () => {
  const manifest =
    '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
  expect(() => readOdt(odfOf(TEXT, { 'META-INF/manifest.xml': manifest }), {})).toThrow(
    expect.objectContaining({ class: 'auth' }),
  );
});
