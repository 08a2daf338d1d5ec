import { expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { xlsxOf } from '../office/office-files.fixture.ts';
import { readXlsx } from './read-xlsx.ts';

const STRINGS = {
  'xl/sharedStrings.xml':
    '<sst><si><t>Name</t></si><si><r><t>Ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh></si></sst>',
  'xl/styles.xml':
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs></styleSheet>',
};

verifies('documents-office:values', 'cells have their shown values', async () => {
  const rows =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
    '<row r="5"><c r="A5" s="1"><v>43363</v></c><c r="C5" s="2"><v>0.5</v></c><c r="D5" t="b"><v>1</v></c></row>' +
    '<row r="6"><c r="A6" t="inlineStr"><is><t>in|line</t></is></c><c r="C6"><f>A1+1</f></c><c r="D6" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>';
  const { parts } = await readXlsx(xlsxOf({ Data: rows }, STRINGS), {});
  expect(parts).toEqual([
    {
      place: { is: 'sheet', sheet: 'Data', index: 1 },
      markdown:
        '## Data\n\n| Name | Rich |  |\n| --- | --- | --- |\n| 2018-09-20 | 50% | TRUE |\n| in\\|line | =A1+1 | #DIV/0! |',
    },
  ]);
});

verifies('documents-office:hidden', 'a hidden sheet is read and named', async () => {
  const row = '<row r="1"><c r="A1"><v>1</v></c></row>';
  const { parts, notices } = await readXlsx(xlsxOf({ 'Costs!': row, Shown: row }), {});
  expect(parts[0]?.markdown).toContain('## Costs (hidden)');
  expect(notices).toMatchObject([{ params: { parts: ['sheet "Costs"'] } }]);
});

verifies('documents-office:places', 'one sheet of many is read', async () => {
  const row = '<row r="1"><c r="A1"><v>1</v></c></row>';
  const read = await readXlsx(xlsxOf({ A: row, B: row, C: row }), { pages: { first: 2, last: 2 } });
  expect(read.parts.map(({ place }) => place)).toEqual([{ is: 'sheet', sheet: 'B', index: 2 }]);
  expect(read.pageCount).toBe(3);
});

verifies(
  'documents-office:hostile',
  'cells far apart are a list, not a table of empty cells',
  async () => {
    const rows = Array.from(
      { length: 1000 },
      (_, at) => `<row r="${at + 1}"><c r="${letters(at)}${at + 1}"><v>${at}</v></c></row>`,
    );
    const { parts } = await readXlsx(xlsxOf({ Far: rows.join('') }), {});
    expect(parts[0]?.markdown.length).toBeLessThan(30_000);
    expect(parts[0]?.markdown).toContain('- B2: 1\n');
  },
);

verifies('documents-office:hostile', 'a long text in many cells is refused', () => {
  const strings = `<sst><si><t>${'x'.repeat(1_000_000)}</t></si></sst>`;
  const row = '<row><c t="s"><v>0</v></c></row>';
  expect(() =>
    readXlsx(xlsxOf({ A: row.repeat(1000) }, { 'xl/sharedStrings.xml': strings }), {}),
  ).toThrow(expect.objectContaining({ class: 'too_large' }));
});

function letters(column: number): string {
  const low = String.fromCharCode(65 + (column % 26));
  return column < 26 ? low : letters(Math.floor(column / 26) - 1) + low;
}
