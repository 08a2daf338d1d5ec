import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { treeMarkdown } from '../../../test/extract/whole-page.ts';
import { extractHtml } from './extract-html.ts';
import { HTML_LIMITS } from './limits.ts';
import { parseHtml } from './tree/parse.ts';

const SENTENCE =
  'The committee met on Tuesday, and it decided to publish the whole report in June.';
const ARTICLE = `<article>${`<p>${SENTENCE}</p>`.repeat(12)}</article>`;

const read = (html: string) => extractHtml(Buffer.from(html), { url: 'https://example.org/a' });

/** Pages that make a careless reader slow, deep or wrong; each still has its article. */
const HOSTILE: Readonly<Record<string, string>> = {
  'nested 10,000 deep': `<body>${'<div>'.repeat(10_000)}${ARTICLE}`,
  'nested inline elements': `<body><p>${'<b><i>'.repeat(10_000)}x</p>${ARTICLE}`,
  'lists nested 5,000 deep': `<body>${ARTICLE}${'<ul><li>a'.repeat(5000)}`,
  'quotations nested 5,000 deep': `<body>${ARTICLE}${'<blockquote>a'.repeat(5000)}`,
  'unclosed everything': `<html><body><div><p>${SENTENCE}<p>${SENTENCE}<table><tr><td><ul><li>${'<b><i><a href=x>'.repeat(3000)}${ARTICLE}`,
  'end tags without start tags': `<body>${'</div></p></table></b>'.repeat(50_000)}${ARTICLE}`,
  'end tags far from their start': `<body><b><div>${'<span>'.repeat(5000)}${'</b>'.repeat(50_000)}</div>${ARTICLE}`,
  'null bytes': `<body>\0${ARTICLE.replaceAll('e', 'e\0')}`,
  '50,000 links': `<body><nav>${'<a href="/x">link</a> '.repeat(50_000)}</nav>${ARTICLE}`,
  'a flood of entities': `<body><p>${'&lt;&amp;&copy;&#x41;&notanentity;'.repeat(30_000)}</p>${ARTICLE}`,
  'a million characters of one word': `<body><p>${'x'.repeat(1_000_000)}</p>${ARTICLE}`,
  'empty emphasis': `<body><p>${'<b></b><i></i>'.repeat(50_000)}x</p>${ARTICLE}`,
  'marks and brackets': `<body><p>${'*_[]()`~!<|\\'.repeat(20_000)}</p>${ARTICLE}`,
  'a wide table': `<body><table><tr>${'<td colspan=1000>a</td>'.repeat(2000)}</tr><tr><td>1</td><td>2</td></tr></table>${ARTICLE}`,
  'a thousand classes': `<body class="${'a-b '.repeat(100_000)}">${ARTICLE}`,
  'attributes by the thousand': `<body><div ${Array.from({ length: 20_000 }, (_, i) => `a${i}=1`).join(' ')}>${ARTICLE}</div>`,
  'comments that do not end': `<body>${ARTICLE}<!-- ${'-'.repeat(500_000)}`,
  'JSON-LD nested without end': `<body><script type="application/ld+json">${'['.repeat(100_000)}</script>${ARTICLE}`,
  'a style of 500 kB': `<body><div style="${'display : '.repeat(50_000)}">${ARTICLE}</div>`,
  'spaces of other scripts': `<body><article><h2>a${'\u3000'.repeat(300_000)}b</h2><p>${'\u3000'.repeat(100_000)}${' *'.repeat(50_000)} a</p></article>${ARTICLE}`,
  'number signs before a letter': `<body><article><h2>${'#'.repeat(300_000)}x</h2>${ARTICLE}</article>`,
  'backslashes in a cell': `<body><article><table><tr><th>A<th>B<tr><td>${'\\'.repeat(300_000)}<td>b</table>${ARTICLE}</article>`,
  'code in code': `<body><article><p>${'<code>'.repeat(400)}${'word '.repeat(60_000)}<a href=x>y</a></p>${ARTICLE}</article>`,
  'a class of a megabyte around everything': `<body><div class="${'ab '.repeat(350_000)}">${'<div><p>A short text.</p></div>'.repeat(5000)}</div>${ARTICLE}`,
  'a base of a megabyte': `<head><base href="https://example.org/${'a'.repeat(1_000_000)}/"></head><body><article>${`<p><a href=x>A link</a>, and ${SENTENCE}</p>`.repeat(2000)}</article>`,
  'a wide table with many rows': `<body><article><table><tr><th colspan=1000>a<th>b${'<tr><td>x<td>y'.repeat(30_000)}</table>${ARTICLE}</article>`,
  'white space by the megabyte': `<body><p>${' \n\t'.repeat(300_000)}a</p>${ARTICLE}`,
};

verifies(
  'extract:hostile-pages',
  'the article of every hostile page is read, and nothing fails',
  () => {
    const unread = Object.entries(HOSTILE).filter(
      ([, html]) => !read(html).text.replaceAll(/\s+/g, ' ').includes(SENTENCE),
    );
    expect(unread.map(([name]) => name)).toEqual([]);
    expect(Object.keys(HOSTILE)).toHaveLength(27);
  },
  120_000,
);

verifies(
  'extract:hostile-pages',
  'a page over a limit is refused with `too_large`, and never shortened',
  () => {
    const error = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (thrown) {
        return thrown;
      }
    };
    const large = new Uint8Array(100 * 1024 * 1024);
    expect(error(() => extractHtml(large))).toMatchObject({ class: 'too_large', field: 'page' });
    const many = Buffer.from('<p>'.repeat(2000));
    const limits = { ...HTML_LIMITS, maxNodes: 1000 };
    expect(error(() => extractHtml(many, {}, limits))).toMatchObject({ class: 'too_large' });
    const row = `<tr><td rowspan=1000 colspan=999>a<td>b${'<tr><td>x'.repeat(999)}`;
    const spans = `<body><article><table>${row.repeat(3)}</table>${ARTICLE}</article>`;
    expect(error(() => read(spans))).toMatchObject({ class: 'too_large' });
  },
);

verifies(
  'extract:hostile-pages',
  'a page of a million elements and texts is read whole',
  () => {
    const html = `<body>${'<p>a</p>'.repeat(499_999)}<p>the last one</p></body>`;
    const markdown = treeMarkdown(parseHtml(html, HTML_LIMITS, 'html'));
    expect(markdown.split('\n\n')).toHaveLength(500_000);
    expect(markdown.endsWith('the last one')).toBe(true);
  },
  120_000,
);

verifies('extract:hidden-text', 'text that a page hides is in neither view', () => {
  const hidden = [
    '<div style="display:none">SECRET</div>',
    '<div style="color: red; DISPLAY : none !important">SECRET</div>',
    '<p hidden>SECRET</p>',
    '<p>a <span style="visibility:hidden">SECRET</span> b</p>',
    '<p>a <span style="font-size:0">SECRET</span> b</p>',
    '<p style="position:absolute;left:-9999px">SECRET</p>',
    '<p>a <span aria-hidden="true">SECRET</span> b</p>',
    '<template><p>SECRET</p></template>',
    '<script>document.write("<p>SECRET</p>")</script>',
    '<style>p::after { content: "SECRET" }</style>',
    '<!-- <p>SECRET</p> -->',
    '<noscript><p>SECRET</p></noscript>',
    '<textarea>SECRET</textarea>',
    '<table><tr><th>A</th><th hidden>SECRET</th></tr><tr><td>1</td><td style="display:none">SECRET</td></tr></table>',
    '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2<div hidden><p>SECRET</p></div></td></tr><tr hidden><td>3</td><td>SECRET</td></tr></table>',
    '<pre>code <span hidden>SECRET</span></pre>',
    '<a href="/x" style="display:none">SECRET</a>',
    `<p style="${'color: red; '.repeat(300)}display: none">SECRET</p>`,
  ];
  const views = hidden.map((part) => {
    const { markdown, text } = read(`<body>${ARTICLE.replace('</article>', `${part}</article>`)}`);
    return `${markdown} ${text}`;
  });
  expect(hidden.filter((_, i) => !views[i]?.includes(SENTENCE))).toEqual([]);
  expect(hidden.filter((_, i) => views[i]?.includes('SECRET'))).toEqual([]);
});

test('aria-hidden around a whole page does not hide it', () => {
  expect(read(`<body><div aria-hidden="true">${ARTICLE}</div>`).text).toContain(SENTENCE);
});

test('a script that looks like text is not text', () => {
  const html = `<body><script type="text/template"><article><p>Template text.</p></article></script>${ARTICLE}`;
  expect(read(html).text).not.toContain('Template');
});

verifies(
  'extract:hostile-pages',
  'a text in the data of a page that looks like tags is read',
  () => {
    const articleBody = `${`${SENTENCE} <a `.repeat(3000)} `;
    const data = JSON.stringify({ '@type': 'Article', articleBody });
    const html = `<head><script type="application/ld+json">${data}</script></head><body><p>a</p>`;
    expect(read(html).text).toContain(SENTENCE);
  },
);

test('text before the tag <body> is read', () => {
  const pages = [
    `<html>${SENTENCE} FIRST<p>${SENTENCE}</p>`,
    `<html><head><title>t</title></head>${SENTENCE} FIRST<p>${SENTENCE}</p>`,
    `<head><title>t</title>${SENTENCE} FIRST<p>${SENTENCE}</p>`,
    `<div>${SENTENCE} FIRST</div><body><p>${SENTENCE}</p></body>`,
    `<html><div>${SENTENCE} FIRST</div><body><p>${SENTENCE}</p></body>`,
  ];
  expect(pages.filter((html) => !read(html).text.includes('FIRST'))).toEqual([]);
});
