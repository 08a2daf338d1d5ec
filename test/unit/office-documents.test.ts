import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readDocx } from '#extract/documents/docx/read-docx.ts';
import { readEpub } from '#extract/documents/epub/read-epub.ts';
import { readOdp } from '#extract/documents/odf/read-odp.ts';
import { readOds } from '#extract/documents/odf/read-ods.ts';
import { readOdt } from '#extract/documents/odf/read-odt.ts';
import { readPptx } from '#extract/documents/pptx/read-pptx.ts';
import { readXlsx } from '#extract/documents/xlsx/read-xlsx.ts';

const FILES = fileURLToPath(new URL('../../../shared/documents/', import.meta.url));

/** Real files of other projects; without them the tests are reported as not run. */
describe.skipIf(!existsSync(FILES))('real office documents', () => {
  const load = (name: string): Uint8Array => readFileSync(FILES + name);

  test.each([
    ['docx-various.docx', readDocx, 'This is a caption for Figure 1'],
    ['docx-textbox.docx', readDocx, 'Suggested Reportable Symptoms'],
    ['pptx-notes-groups.pptx', readPptx, 'Ungrouped text box'],
    ['pptx-chart.pptx', readPptx, '| 2020 | 130 | 95 |'],
    ['xlsx-inline-strings.xlsx', readXlsx, '1st Inline String'],
    ['xlsx-merged-sales.xlsm', readXlsx, '15000'],
    ['odt-text.odt', readOdt, '# heading level 1.0'],
    ['ods-table.ods', readOds, '| 2024 | 180 |'],
    ['odp-presentation.odp', readOdp, '# Test Table Slide'],
    ['epub-basic.epub', readEpub, 'This is the text for chapter One'],
  ] as const)('%s has its text', async (name, read, text) => {
    const { parts } = await read(load(`files/${name}`), { name });
    expect(parts.map(({ markdown }) => markdown).join('\n')).toContain(text);
  });

  test.each([
    ['x-zip-bomb-docx.docx', readDocx],
    ['x-truncated-docx.docx', readDocx],
    ['x-fuzz-pptx-1.pptx', readPptx],
    ['x-shared-strings-poc.xlsx', readXlsx],
    ['x-odt-not-a-zip.odt', readOdt],
  ] as const)('%s is refused with a typed error', (name, read) => {
    expect(() => read(load(`hostile/${name}`), { name })).toThrow(
      expect.objectContaining({ name: 'CallError' }),
    );
  });
});
