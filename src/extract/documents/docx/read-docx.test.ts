import fc from 'fast-check';
import { expect, test } from 'vitest';
import '../../../../test/property-seed.ts';
import { verifies } from '../../../../test/verifies.ts';
import { docxOf } from '../office/office-files.fixture.ts';
import { readDocx } from './read-docx.ts';

async function markdownOf(...parts: Parameters<typeof docxOf>): Promise<string> {
  const { parts: read } = await readDocx(docxOf(...parts), {});
  return read.map(({ markdown }) => markdown).join('\n');
}

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inner: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

verifies(
  'documents-office:tracked-changes',
  'insertions are read, deletions and moves are not',
  async () => {
    const text = await markdownOf(
      p(
        `${run('kept ')}<w:ins>${run('added')}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom>${run('moved')}</w:moveFrom>`,
      ),
    );
    expect(text).toBe('kept added');
  },
);

verifies('documents-office:text', 'headings, emphasis and line breaks are Markdown', async () => {
  const styles =
    '<w:styles><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>';
  const text = await markdownOf(
    p(run('Report'), '<w:pStyle w:val="berschrift1"/>') +
      p(run('Deep'), '<w:outlineLvl w:val="2"/>') +
      p(
        `<w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>ld</w:t></w:r>${run(' # 1')}<w:r><w:br/></w:r>${run('- next')}`,
      ),
    { 'word/styles.xml': styles },
    [['r1', 'styles', 'styles.xml']],
  );
  expect(text).toBe('# Report\n\n### Deep\n\n**bold** # 1  \n\\- next');
});

verifies('documents-office:text', 'lists have the numbers that Word shows', async () => {
  const level = (at: number, format: string, shown: string) =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${shown}"/></w:lvl>`;
  const numbering = `<w:numbering><w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num></w:numbering>`;
  const item = (text: string, id: number, at: number) =>
    p(run(text), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${id}"/></w:numPr>`);
  const text = await markdownOf(
    item('one', 1, 0) +
      item('two', 1, 0) +
      item('inner', 1, 1) +
      item('three', 1, 0) +
      item('seven', 2, 0),
    { 'word/numbering.xml': numbering },
    [['r1', 'numbering', 'numbering.xml']],
  );
  expect(text).toBe('1. one\n2. two\n   - 2.a) inner\n3. three\n7. seven');
});

verifies(
  'documents-office:text',
  'each row of a table is one line, merged cells leave gaps',
  async () => {
    const cell = (inner: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${inner}</w:tc>`;
    const nested = `<w:tbl><w:tr>${cell(p(run('x')))}${cell(p(run('y')))}</w:tr></w:tbl>`;
    const text = await markdownOf(
      `<w:tbl><w:tr>${cell(p(run('a|b')))}${cell(p(run('c')) + p(run('d')))}</w:tr><w:tr>${cell(p(run('wide')), '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${cell(nested)}${cell(p(''), '<w:vMerge/>')}</w:tr></w:tbl>`,
    );
    expect(text).toBe('| a\\|b | c<br>d |\n| --- | --- |\n| wide |  |\n| x \\| y |  |');
  },
);

verifies('documents-office:text', 'a text box that is stored twice is read once', async () => {
  const box = `<w:txbxContent>${p(run('boxed'))}</w:txbxContent>`;
  const text = await markdownOf(
    p(
      `${run('before')}<w:r><mc:AlternateContent><mc:Choice><w:drawing>${box}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
    ),
  );
  expect(text).toBe('before\n\nboxed');
});

verifies(
  'documents-office:text',
  'notes, comments, headers and the addresses of links are read',
  async () => {
    const text = await markdownOf(
      p(
        `<w:commentRangeStart w:id="0"/>${run('see')}<w:commentRangeEnd w:id="0"/><w:r><w:footnoteReference w:id="2"/></w:r>${run(' ')}<w:hyperlink r:id="l">${run('this page')}</w:hyperlink>`,
      ),
      {
        'word/footnotes.xml': `<w:footnotes><w:footnote w:id="2">${p(run('the note'))}</w:footnote></w:footnotes>`,
        'word/comments.xml': `<w:comments><w:comment w:id="0" w:author="Ann">${p(run('why?'))}</w:comment></w:comments>`,
        'word/header1.xml': `<w:hdr>${p(run('Confidential draft'))}</w:hdr>`,
      },
      [
        ['f', 'footnotes', 'footnotes.xml'],
        ['c', 'comments', 'comments.xml'],
        ['h', 'header', 'header1.xml'],
        ['l', 'hyperlink', 'https://example.org/a', 'External'],
      ],
    );
    expect(text).toBe(
      'Confidential draft\n\nsee[^1] this page\n\n[^1]: the note\n\n- Comment by Ann (“see”): why?\n\nLinks:\n\n- this page: <https://example.org/a>',
    );
  },
);

test('formulas are written as LaTeX', async () => {
  const math =
    '<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>';
  expect(await markdownOf(p(math))).toBe(String.raw`$\frac{a}{2}$`);
});

verifies('documents-office:text', 'every run of any document is in its Markdown', async () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((text) => /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(text));
  const paragraph = fc.array(word, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(paragraph, { minLength: 1, maxLength: 6 }), async (paragraphs) => {
      const body = paragraphs.map((words) => p(words.map((word) => run(escapeXml(word))).join('')));
      const read = (await markdownOf(body.join(''))).replace(/[\\\s]/g, '');
      for (const words of paragraphs)
        for (const each of words) expect(read).toContain(each.replaceAll('\\', ''));
    }),
    { numRuns: 60 },
  );
});

verifies('documents-office:hostile', 'a document without its main part or body is refused', () => {
  for (const body of ['<x/>', ''])
    expect(() => readDocx(docxOf('', { 'word/document.xml': body }), {})).toThrow(
      expect.objectContaining({ class: 'validation' }),
    );
});
