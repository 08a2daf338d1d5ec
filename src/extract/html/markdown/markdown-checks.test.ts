import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { toMarkdown } from '../../../../test/extract/whole-page.ts';

/** Fragments and their Markdown, each a feature that converters get wrong. */
const CHECKS: readonly [feature: string, html: string, markdown: string][] = [
  ['headings of every level', '<h1>A</h1><h2>B</h2><h6>C</h6>', '# A\n\n## B\n\n###### C'],
  ['bold and italic', '<p>a <b>b</b> and <em>c</em></p>', 'a **b** and *c*'],
  ['spaces inside of emphasis', '<p>a<b> b </b>c</p>', 'a **b** c'],
  ['struck text', '<p><del>old</del> new</p>', '~~old~~ new'],
  ['inline code with a backtick', '<p><code>a`b</code></p>', '``a`b``'],
  ['a nested list', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
  ['an ordered list with a start', '<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
  [
    'a list item of two paragraphs',
    '<ul><li><p>a</p><p>b</p></li><li>c</li></ul>',
    '- a\n\n  b\n- c',
  ],
  [
    'a code block with its language',
    '<pre><code class="language-js">let a = 1;\n\n  b();\n</code></pre>',
    '```js\nlet a = 1;\n\n  b();\n```',
  ],
  ['a code block without <code>', '<pre>  a\n\tb</pre>', '```\n  a\n\tb\n```'],
  ['a code block that contains a fence', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
  [
    'a table with a header',
    '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
    '| A | B |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'a pipe in a cell',
    '<table><tr><th>A</th><th>B</th></tr><tr><td>a|b</td><td>2</td></tr></table>',
    '| A | B |\n| --- | --- |\n| a\\|b | 2 |',
  ],
  [
    'a line break in a cell',
    '<table><tr><th>A</th><th>B</th></tr><tr><td>a<br>b</td><td>2</td></tr></table>',
    '| A | B |\n| --- | --- |\n| a<br>b | 2 |',
  ],
  [
    'an asterisk before and after a line break in a cell',
    '<table><tr><th>A</th><th>B</th></tr><tr><td>a * <br> <b>b</b></td><td><b>c</b> <br> * d</td></tr></table>',
    '| A | B |\n| --- | --- |\n| a \\*<br>**b** | **c**<br>\\* d |',
  ],
  [
    'a table without a header',
    '<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>',
    '|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |',
  ],
  [
    'a cell over two columns',
    '<table><tr><th colspan="2">A</th></tr><tr><td>1</td><td>2</td></tr></table>',
    '| A |  |\n| --- | --- |\n| 1 | 2 |',
  ],
  ['a quotation', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  ['an image', '<p>x <img src="/a.png" alt="A"></p>', 'x ![A](https://example.org/a.png)'],
  [
    'an image that is loaded late',
    '<p>x <img src="data:image/gif;base64,R0" data-src="/b.png" alt="B"></p>',
    'x ![B](https://example.org/b.png)',
  ],
  [
    'a link with a space and brackets',
    '<p><a href="/a b(c)">x</a></p>',
    '[x](https://example.org/a%20b%28c%29)',
  ],
  ['a relative link', '<p><a href="../x?y=1">x</a></p>', '[x](https://example.org/x?y=1)'],
  ['a hard line break', '<p>a<br>b</p>', 'a  \nb'],
  ['characters of Markdown', '<p>1. *a* [b](c) &lt;d&gt;</p>', '1\\. \\*a\\* [b\\](c) \\<d>'],
  ['a rule', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
  ['a definition list', '<dl><dt>T</dt><dd>D</dd></dl>', 'T\n: D'],
  [
    'a figure with a caption',
    '<figure><img src="/a.png" alt="A"><figcaption>C</figcaption></figure>',
    '![A](https://example.org/a.png)\n\nC',
  ],
  [
    'a definition that is a list',
    '<dl><dt>T</dt><dd><ul><li>a</li><li>b</li></ul></dd></dl>',
    'T\n\n- a\n- b',
  ],
  ['a definition that is code', '<dl><dt>T</dt><dd><pre>a</pre></dd></dl>', 'T\n\n```\na\n```'],
  ['emphasis over two paragraphs', '<p><i>a<br><br>b</i></p>', 'a\n\nb'],
  [
    'an address with marks',
    '<p>See https://example.org/a_b*c*.</p>',
    'See <https://example.org/a_b*c>\\*.',
  ],
  ['a sign beside a heading', '<h2>A<a href="#a">¶</a></h2>', '## A'],
  ['a card that is one link', '<a href="/x"><h3>T</h3></a>', '### [T](https://example.org/x)'],
  [
    'an exclamation mark before a link',
    '<p>Go!<a href="/x">x</a></p>',
    'Go\\![x](https://example.org/x)',
  ],
  ['two lists in a row', '<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n* b'],
  [
    'an image set',
    '<p>x <img srcset="/s.png 1x, /l.png 2x" alt="L"></p>',
    'x ![L](https://example.org/l.png)',
  ],
];

verifies('extract:markdown-checks', 'each feature of HTML is written as its Markdown', () => {
  const written = CHECKS.map(([feature, html]) => [feature, toMarkdown(html)]);
  expect(written).toEqual(CHECKS.map(([feature, , markdown]) => [feature, markdown]));
});

test('the Markdown of every check is read back as the same kinds of nodes', () => {
  const kinds = (markdown: string): Set<string> => {
    const found = new Set<string>();
    const visit = (node: { type: string; children?: unknown[] }): void => {
      found.add(node.type);
      for (const child of node.children ?? []) visit(child as { type: string });
    };
    visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
    return found;
  };
  const expected: Record<string, string> = {
    'struck text': 'delete',
    'a table with a header': 'table',
    'a table without a header': 'table',
    'a quotation': 'blockquote',
    'an image': 'image',
    'an ordered list with a start': 'list',
    'a rule': 'thematicBreak',
    'a code block that contains a fence': 'code',
    'a hard line break': 'break',
  };
  const features = CHECKS.filter(([feature]) => Object.hasOwn(expected, feature));
  const missing = features.filter(
    ([feature, html]) => !kinds(toMarkdown(html)).has(expected[feature] as string),
  );
  expect(missing).toEqual([]);
  expect(features).toHaveLength(Object.keys(expected).length);
});
