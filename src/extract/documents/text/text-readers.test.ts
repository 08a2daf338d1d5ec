import { expect, test } from 'vitest';
import type { DocumentContent, DocumentSource } from '#core/extract/document.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { FormatReader } from '../reader.ts';
import { readCsv } from './read-csv.ts';
import { readHtml } from './read-html.ts';
import { readNotebook } from './read-notebook.ts';
import { readText } from './read-text.ts';

async function read(
  reader: FormatReader,
  text: string,
  source: DocumentSource = {},
): Promise<DocumentContent> {
  return reader(new Uint8Array(Buffer.from(text)), source);
}

test('code and text are unchanged, so that line numbers stay', async () => {
  const code = 'if (a) {\n\n\t# not a heading\n}\n';
  const { parts } = await read(readText, code);
  expect(parts).toEqual([{ place: { is: 'document' }, markdown: code }]);
  expect((await read(readText, 'a\r\nb\rc')).parts[0]?.markdown).toBe('a\nb\nc');
});

verifies('documents:encodings', 'a guessed encoding is named in a notice', async () => {
  const bytes = Buffer.from('cfe5f0e2eee9ec20e820e2f2eef0eee9', 'hex');
  const { notices } = await readText(new Uint8Array(bytes), {});
  expect(notices).toEqual([
    { code: 'document_encoding_guessed', params: { encoding: 'windows-1251' } },
  ]);
});

verifies(
  'documents:tables',
  'separated values become a table, whatever separates them',
  async () => {
    const table = '| a | b |\n| --- | --- |\n| 1,5 | x;y |';
    expect((await read(readCsv, 'a;b\n1,5;"x;y"\n')).parts[0]?.markdown).toBe(table);
    expect((await read(readCsv, 'a,b\r\n"1,5",x;y\r\n')).parts[0]?.markdown).toBe(table);
    expect((await read(readCsv, 'a\tb\n1,5\tx;y')).parts[0]?.markdown).toBe(table);
    const quoted = await read(readCsv, 'a,b\n"say ""hi""","two\nlines"\n');
    expect(quoted.parts[0]?.markdown).toContain('| say "hi" | two<br>lines |');
  },
);

verifies('documents:places', 'each cell of a notebook is a section', async () => {
  const notebook = {
    nbformat: 4,
    metadata: { language_info: { name: 'julia' } },
    cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'Text'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [{ output_type: 'stream', text: ['1\n'] }],
      },
    ],
  };
  const { parts, title } = await read(readNotebook, JSON.stringify(notebook));
  expect(title).toBe('Title');
  expect(parts).toEqual([
    { place: { is: 'section', section: 1 }, markdown: '# Title\nText' },
    {
      place: { is: 'section', section: 2 },
      markdown: '```julia\nprint(1)\n```\n\n```\n1\n```',
    },
  ]);
});

test('a file of HTML keeps everything that is shown, a web page its main text', async () => {
  const html = `<title>Prices</title><nav><a href="/x">Contact us</a></nav><main><h1>List</h1>${'<p>A sentence of the main text, long enough to be one.</p>'.repeat(6)}</main>`;
  const file = await read(readHtml, html);
  expect(file.parts[0]?.markdown).toContain('Contact us');
  expect(file.parts[0]?.markdown).toContain('# Prices');
  expect(file.page?.markdown).not.toContain('Contact us');
  const page = await read(readHtml, html, { url: 'https://example.org/list' });
  expect(page.parts[0]?.markdown).toBe(page.page?.markdown);
});

test('a table of more rows than are written at once is whole', async () => {
  const rows = Array.from({ length: 25_001 }, (_, at) => `${at},"a|b"`);
  const { parts } = await read(readCsv, rows.join('\n'), { name: 'a.csv' });
  const lines = parts[0]?.markdown.split('\n') ?? [];
  expect(lines).toHaveLength(25_002);
  expect(lines[1]).toBe('| --- | --- |');
  expect(lines.at(-1)).toBe(String.raw`| 25000 | a\|b |`);
});

test('a notebook of too many cells is refused', async () => {
  const cell = { cell_type: 'code', source: 'x', outputs: [] };
  const cells = Array.from({ length: 20_001 }, () => cell);
  await expect(read(readNotebook, JSON.stringify({ nbformat: 4, cells }))).rejects.toMatchObject({
    class: 'too_large',
  });
});
