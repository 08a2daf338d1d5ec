import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { extractHtml } from './extract-html.ts';
import { VOTE_FEATURES } from './vote/features.ts';
import { MODEL_FEATURES } from './vote/model.ts';
import { PAGE_KINDS } from '#core/extract/extractor.ts';

const SENTENCE = 'The river rose by two metres in one night, and the mill stood under water.';
const paragraphs = (count: number): string => `<p>${SENTENCE}</p>`.repeat(count);
const read = (html: string, url = 'https://example.org/2024/05/the-river') =>
  extractHtml(Buffer.from(html), { url });

verifies('extract:metadata', 'a page with metadata has it in the result', () => {
  const html = `<!doctype html><html lang="pt-BR"><head><title>The river | The Mill Gazette</title>
    <meta property="og:site_name" content="The Mill Gazette"><meta property="og:type" content="article">
    <link rel="canonical" href="/2024/05/the-river">
    <script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"The river",
      "author":[{"@type":"Person","name":"Ana Souza"}],"datePublished":"2024-05-03T08:00:00Z"}</script></head>
    <body><nav><a href="/">Home</a> <a href="/news">News</a></nav><article><h1>The river</h1>${paragraphs(8)}</article>
    <footer><a href="/imprint">Imprint</a></footer></body></html>`;
  const { title, author, date, language, site, canonicalUrl, kind, confidence, needsBrowser } =
    read(html);
  expect({ title, author, date, language, site, canonicalUrl, kind, needsBrowser }).toEqual({
    title: 'The river',
    author: 'Ana Souza',
    date: '2024-05-03T08:00:00Z',
    language: 'pt-BR',
    site: 'The Mill Gazette',
    canonicalUrl: 'https://example.org/2024/05/the-river',
    kind: 'article',
    needsBrowser: undefined,
  });
  expect(confidence).toBeGreaterThan(0.5);
});

test('a refrain is part of the text, a copy elsewhere in the page is not', () => {
  const verse = (n: number) => `<p>Verse number ${n} of the song, sung by one voice alone.</p>`;
  const refrain = '<p>And all of us sing the refrain together.</p>';
  const song = [1, 2, 3, 4, 5, 6].map((n) => verse(n) + refrain).join('');
  const html = `<body><article><div>${song}</div></article></body>`;
  const { text } = extractHtml(Buffer.from(html));
  expect(text.split('sing the refrain')).toHaveLength(7);
});

test('the article is kept, and navigation, sidebar and footer are dropped', () => {
  const links =
    '<ul><li><a href="/a">First</a></li><li><a href="/b">Second</a></li><li><a href="/c">Third</a></li></ul>';
  const { text } =
    read(`<html><head><title>T</title></head><body><header><nav>${links}</nav></header>
    <main><article><h2>Floods</h2>${paragraphs(10)}</article></main><aside class="sidebar"><h3>Popular</h3>${links}</aside>
    <footer class="site-footer">${links}</footer></body></html>`);
  expect(text).toContain(SENTENCE);
  for (const word of ['First', 'Second', 'Popular']) expect(text).not.toContain(word);
});

verifies('extract:recovery', 'text in <noscript>, JSON-LD and embedded state is read', () => {
  const body = Array.from({ length: 30 }, (_, i) => `Day ${i}: ${SENTENCE}`).join('\n\n');
  const ld = JSON.stringify({ '@type': 'Article', articleBody: body });
  const state = JSON.stringify({ props: { page: { html: `<p>${body}</p>`, id: 7 } } });
  const pages = [
    `<html><head><title>T</title></head><body><div id="root"></div><noscript>${paragraphs(30)}</noscript></body></html>`,
    `<html><head><script type="application/ld+json">${ld}</script></head><body><div id="root"></div></body></html>`,
    `<html><head></head><body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${state}</script></body></html>`,
    `<html><head></head><body><div hidden id="S:0"><article>${paragraphs(30)}</article></div></body></html>`,
  ];
  for (const html of pages) {
    const result = read(html);
    expect(result.text).toContain(SENTENCE);
    expect(result.needsBrowser).toBeUndefined();
  }
});

verifies('extract:recovery', 'a page without text that runs scripts needs a browser', () => {
  const empty =
    '<html><head><script src="/app.js"></script></head><body><div id="root"></div></body></html>';
  expect(read(empty)).toMatchObject({
    markdown: '',
    text: '',
    confidence: 0,
    needsBrowser: 'few_words',
  });
  const challenge = `<html><head><title>x</title></head><body><script src="/cdn-cgi/challenge-platform/h/b"></script></body></html>`;
  expect(read(challenge).needsBrowser).toBe('challenge');
  const refresh =
    '<html><head><meta http-equiv="refresh" content="0; url=/x"></head><body></body></html>';
  expect(read(refresh).needsBrowser).toBe('refresh');
  expect(
    read('<html><head><title>x</title></head><body><p>Short, and no scripts.</p></body></html>')
      .needsBrowser,
  ).toBeUndefined();
});

const LATIN = `<html><head><title>é</title></head><body><article>${'<p>Le café à côté est fermé, et la rivière monte.</p>'.repeat(8)}</article></body></html>`;

verifies('extract:encodings', 'a page is decoded by mark, header, meta or bytes', () => {
  const inLatin1 = Buffer.from(LATIN, 'latin1');
  const text = 'Le café à côté est fermé, et la rivière monte.';
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(LATIN, 'utf16le')]);
  const withMeta = LATIN.replace('<head>', '<head><meta charset="iso-8859-1">');
  const pages: [Uint8Array, string | undefined][] = [
    [inLatin1, 'text/html; charset=ISO-8859-1'],
    [inLatin1, undefined],
    [Buffer.from(withMeta, 'latin1'), undefined],
    [Buffer.from(withMeta, 'utf8'), undefined], // declared wrongly
    [Buffer.from(LATIN, 'utf8'), 'text/html'],
    [Buffer.from(`\ufeff${LATIN}`, 'utf8'), 'text/html; charset=latin1'],
    [utf16, undefined],
    [Buffer.from(LATIN, 'utf16le'), undefined],
    [Buffer.from(LATIN, 'utf8'), 'text/html; charset=no-such-charset'],
  ];
  for (const [bytes, contentType] of pages)
    expect(extractHtml(bytes, contentType === undefined ? {} : { contentType }).text).toContain(
      text,
    );
  // "日本語の文。" in Shift_JIS, as its page declares.
  const japanese = [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x82, 0xcc, 0x95, 0xb6, 0x81, 0x42];
  const page = Buffer.concat([
    Buffer.from(
      '<html><head><meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"></head><body><p>',
    ),
    Buffer.from(Array.from({ length: 30 }, () => japanese).flat()),
    Buffer.from('</p></body></html>'),
  ]);
  expect(extractHtml(page).text).toContain('日本語の文。');
});

test('a fragment and an XHTML page are read', () => {
  expect(extractHtml(Buffer.from(paragraphs(3))).text).toContain(SENTENCE);
  const xhtml = `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title><script src="a.js" /></head><body><div id="a" /><p>${SENTENCE} &#233; <![CDATA[a < b]]></p>${paragraphs(5)}</body></html>`;
  const { text, title } = extractHtml(Buffer.from(xhtml), { contentType: 'application/xhtml+xml' });
  expect(title).toBe('T');
  expect(text).toContain(`${SENTENCE} é a < b`);
});

test('an empty page, and bytes that are no page, have an empty or plain result', () => {
  expect(extractHtml(new Uint8Array(0))).toMatchObject({ markdown: '', text: '', confidence: 0 });
  expect(() =>
    extractHtml(Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)),
  ).not.toThrow();
});

test('pages in scripts without spaces, and from right to left, are read', () => {
  const samples = [
    '昨夜、川は二メートル上がり、水車小屋は水の下に立っていた。村の人々は丘の上へ逃げた。',
    'ارتفع النهر مترين في ليلة واحدة، ووقفت الطاحونة تحت الماء. وهرب الناس إلى التل.',
    'Река поднялась на два метра за одну ночь, и мельница стояла под водой.',
    'नदी एक रात में दो मीटर ऊपर उठी, और चक्की पानी के नीचे खड़ी थी।',
  ];
  for (const sample of samples) {
    const html = `<html><body><nav><a href="/">1</a></nav><main>${`<p>${sample}</p>`.repeat(8)}</main></body></html>`;
    expect(read(html).text).toContain(sample);
  }
});

test('the trees fit the features that the vote computes', () => {
  expect(MODEL_FEATURES).toBe(VOTE_FEATURES.length + PAGE_KINDS.length);
});

test('the same page gives the same result', () => {
  const html = `<html><body><main>${paragraphs(5)}</main></body></html>`;
  expect(read(html)).toEqual(read(html));
});

test('a small article keeps its short code block, list and headings', () => {
  const { markdown } =
    read(`<html><head><title>T</title></head><body><nav><a href="/">Home</a></nav>
    <article><h1>First steps</h1><p>One short line.</p><h2>Install</h2><pre><code>npm i x</code></pre>
    <ul><li>Fast</li><li>Small</li></ul></article></body></html>`);
  for (const part of ['First steps', 'One short line.', 'Install', 'npm i x', 'Fast', 'Small'])
    expect(markdown).toContain(part);
});

test('text that a page repeats for small screens is written once', () => {
  const body = Array.from({ length: 12 }, (_, i) => `<p>Day ${i}: ${SENTENCE}</p>`).join('');
  const { text } = read(`<html><head><meta property="og:type" content="article"></head><body>
    <article class="desktop"><h1>The river</h1>${body}</article><article class="mobile">${body}</article></body></html>`);
  expect(text.split('Day 7:')).toHaveLength(2);
});
