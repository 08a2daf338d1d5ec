import * as fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { toMarkdown } from '../../../test/extract/whole-page.ts';
import { caseCount } from '../../../test/thorough.ts';
import { verifies } from '../../../test/verifies.ts';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

/** The text of Markdown, as another parser reads it; blocks and breaks separate words. */
function readBack(markdown: string): { text: string; codes: string[] } {
  const codes: string[] = [];
  const INLINE = new Set(['text', 'inlineCode', 'emphasis', 'strong', 'delete', 'link']);
  const visit = (node: Node): string => {
    if (node.type === 'code') codes.push(node.value ?? '');
    // A line break in a cell is written as HTML.
    const own = node.type === 'html' ? ' ' : (node.value ?? '');
    const inner = own + (node.children ?? []).map(visit).join('');
    return INLINE.has(node.type) ? inner : ` ${inner} `;
  };
  const root = fromMarkdown(markdown, {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown()],
  }) as Node;
  return { text: visit(root), codes };
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Words with every character that Markdown knows. */
const word = fc.oneof(
  fc.stringMatching(/^[a-zA-Z]{1,8}$/),
  fc.stringMatching(/^[!#$%'()*+,./:;=?@[\]^_`{|}~a-c0-9\\-]{1,6}$/),
  fc.constantFrom(
    'naïve',
    '東京',
    'привет',
    'snake_case_name',
    '1.',
    '-',
    '#',
    '>',
    '```',
    '---',
    '&amp;',
    '[x]',
    '!',
    '~~',
    '**',
    'https://a.org/b_c_*d*/~e?f[]=1&amp=2',
    'https://a.org/x_y.',
  ),
);
const phrase = fc.array(word, { minLength: 1, maxLength: 6 }).map((list) => list.join(' '));

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** HTML and the words that a reader sees in it. */
interface Sample {
  readonly html: string;
  readonly words: readonly string[];
}

const text: fc.Arbitrary<Sample> = phrase.map((each) => ({
  html: escapeHtml(each),
  words: words(each),
}));
const INLINE_TAGS = ['b', 'strong', 'i', 'em', 'span', 'del', 'code', 'u', 'small'];
const inline: fc.Arbitrary<Sample> = fc
  .array(
    fc.oneof(
      text,
      fc.tuple(fc.constantFrom(...INLINE_TAGS), text).map(([tag, inner]) => ({
        html: `<${tag}>${inner.html}</${tag}>`,
        words: inner.words,
      })),
      text.map((inner) => ({ html: `<a href="/x(1) y">${inner.html}</a>`, words: inner.words })),
      fc
        .tuple(fc.constantFrom('b', 'i'), fc.constantFrom('em', 'del', 'a href="/q"'), text)
        .map(([outer, tag, inner]) => ({
          html: `<${outer}><${tag}>${inner.html}</${tag.split(' ')[0]}></${outer}>`,
          words: inner.words,
        })),
      fc.constant({ html: '<br>', words: [] }),
      fc.tuple(fc.constantFrom('b', 'i', 'del'), text, text).map(([tag, first, second]) => ({
        html: `<${tag}>${first.html}<br><br>${second.html}</${tag}>`,
        words: [...first.words, ...second.words],
      })),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => ({
    html: parts.map((part) => part.html).join(' '),
    words: parts.flatMap((part) => part.words),
  }));

const wrap = (open: string, close: string) => (inner: Sample) => ({
  html: `${open}${inner.html}${close}`,
  words: inner.words,
});
const join = (open: string, close: string) => (parts: readonly Sample[]) => ({
  html: open + parts.map((part) => part.html).join('') + close,
  words: parts.flatMap((part) => part.words),
});

const { block } = fc.letrec<{ block: Sample }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    inline.map(wrap('<p>', '</p>')),
    inline.map(wrap('<h2>', '</h2>')),
    inline.map(wrap('<div>', '</div>')),
    inline,
    fc
      .array(tie('block').map(wrap('<li>', '</li>')), { minLength: 1, maxLength: 3 })
      .map(join('<ul>', '</ul>')),
    fc
      .array(tie('block').map(wrap('<li>', '</li>')), { minLength: 1, maxLength: 3 })
      .map(join('<ol start="7">', '</ol>')),
    fc
      .array(tie('block'), { minLength: 1, maxLength: 3 })
      .map(join('<blockquote>', '</blockquote>')),
    fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map(join('<section>', '</section>')),
    fc
      .tuple(inline, inline, inline, inline)
      .map(([a, b, c, d]) =>
        join(
          '<table>',
          '</table>',
        )([
          join('<tr>', '</tr>')([wrap('<th>', '</th>')(a), wrap('<th>', '</th>')(b)]),
          join('<tr>', '</tr>')([wrap('<td>', '</td>')(c), wrap('<td>', '</td>')(d)]),
        ]),
      ),
    fc
      .tuple(inline, tie('block'))
      .map(([term, meaning]) =>
        join('<dl>', '</dl>')([wrap('<dt>', '</dt>')(term), wrap('<dd>', '</dd>')(meaning)]),
      ),
  ),
}));
const page = fc.array(block, { minLength: 1, maxLength: 4 }).map(join('<body>', '</body>'));

verifies(
  'extract:no-text-lost',
  'every visible word is read back from the Markdown by another parser',
  () => {
    fc.assert(
      fc.property(page, (sample) => {
        const back = readBack(toMarkdown(sample.html)).text;
        // Where words meet without a space, the parts are compared: nothing missing, nothing added twice.
        const expected = sample.words.join('').replaceAll(/\s/g, '');
        const found = back.replaceAll(/\s/g, '');
        expect(withoutAdditions(found)).toBe(withoutAdditions(expected));
      }),
      { numRuns: caseCount(300, 20_000) },
    );
  },
);

/** The writer adds `: ` to definitions, and leaves emphasis out where it cannot be written. */
function withoutAdditions(text: string): string {
  return text.replaceAll(':', '');
}

verifies('extract:code-exact', 'the text of a code block is read back byte for byte', () => {
  const line = fc.stringMatching(/^[ \ta-c`~#>*_<&|\\-]{0,12}$/);
  const code = fc
    .array(line, { minLength: 1, maxLength: 6 })
    .map((lines) => lines.join('\n'))
    .filter((each) => each.trim() !== '' && !each.startsWith('\n') && !each.endsWith('\n'));
  const around = fc.constantFrom(
    ['', ''],
    ['<ul><li>', '</li></ul>'],
    ['<blockquote>', '</blockquote>'],
    ['<ol><li>x<ul><li>', '</li></ul></li></ol>'],
    ['<dl><dt>term</dt><dd>', '</dd></dl>'],
    ['<dl><dt>term</dt><dd>x', '</dd></dl>'],
  );
  fc.assert(
    fc.property(code, around, (source, [open, close]) => {
      const html = `<p>before</p>${open}<pre><code class="language-c">${escapeHtml(source)}</code></pre>${close}<p>after</p>`;
      expect(readBack(toMarkdown(html)).codes).toEqual([source]);
    }),
    { numRuns: caseCount(300, 20_000) },
  );
});

test('code in spans of a highlighter keeps its indentation', () => {
  const html =
    '<pre class="highlight-source-python"><span>def</span> f():\n    <span>return</span> 1\n</pre>';
  expect(toMarkdown(html)).toBe('```python\ndef f():\n    return 1\n```');
});
