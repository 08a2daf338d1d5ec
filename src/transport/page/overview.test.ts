import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { html } from './html.ts';
import { renderLogin, renderLoginFile } from './login.ts';
import { renderOverview, renderStranger } from './overview.ts';
import type { PageData } from './page-data.ts';

function dataWith(text: string): PageData {
  return {
    version: '0.2.0',
    uptimeS: 61,
    readAt: text,
    url: 'http://127.0.0.1:8765',
    gateway: 'on',
    providers: [{ title: text, isSetUp: true, breaker: 'open', details: [text, text] }],
    today: {
      day: '2026-11-18',
      requests: 3,
      inputTokens: 1_234_567,
      outputTokens: 5,
      costMicroUsd: 12_300,
      remarks: [text],
    },
    calls: [
      {
        at: text,
        shownAt: text,
        tool: text,
        client: text,
        models: [text, text],
        outcome: text,
        result: 'failed',
        elapsedMs: 1234,
        costMicroUsd: undefined,
      },
    ],
    notices: [text],
  };
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><style>*{display:none}</style>',
  '</td></tr></table><h1>',
  '<meta http-equiv="refresh" content="0; url=https://evil.example">',
  '&lt;b&gt;',
  '<!--',
  ']]>',
];

verifies('page:escaping', 'texts of others add no tag, attribute or entity', () => {
  const plain = renderOverview(dataWith('x')).markup;
  const shape = (markup: string) => markup.match(/<[^>]*>/g)?.join('\n');
  for (const text of HOSTILE) {
    const { markup } = renderOverview(dataWith(text));
    const withoutDates = (all: string) => all.replaceAll(/datetime="[^"]*"/g, '');
    expect(withoutDates(shape(markup) ?? '')).toBe(withoutDates(shape(plain) ?? ''));
    expect(markup).not.toContain(text);
    expect(markup.match(/[^\w]on\w+\s*=\s*['"]/g)).toBe(null);
  }
});

verifies('page:escaping', 'invisible and direction-changing characters are shown as such', () => {
  const odd = 'a\0b\u001b[31mc\u202ed\u2066e\u200bf\u00adg\ud800h\u2028i\r\nj';
  expect(html`${odd}`.markup).toBe('a�b�[31mc�d�e�f�g�h�i��j');
});

test('a long text is cut', () => {
  expect(html`${'x'.repeat(1_000_000)}`.markup).toHaveLength(300);
});

test('a part that could not be read says so, and the others are there', () => {
  const { markup } = renderOverview({ ...dataWith('x'), today: undefined, calls: undefined });
  expect(markup.match(/The store does not answer/g)).toHaveLength(2);
  expect(markup).toContain('Connect a client');
});

test('without calls the page names a first command, without a gateway none for it', () => {
  const { markup } = renderOverview({ ...dataWith('x'), calls: [], gateway: 'off' });
  expect(markup).toContain('exai ask');
  expect(markup).toContain('gateway.enabled');
  expect(markup).not.toContain('curl');
});

test('figures are written for people', () => {
  const { markup } = renderOverview(dataWith('x'));
  for (const text of ['$0.0123', '1,234,567', '1.2 s', 'up for 1 minute'])
    expect(markup).toContain(text);
});

verifies('page:strangers', 'a stranger is told one sentence', () => {
  const body = /<body>([^]*)<\/body>/.exec(renderStranger().markup)?.[1] ?? '';
  expect(body.replaceAll(/<[^>]*>/g, '').trim()).toBe('EX-AI is running');
});

test('scripts are in the login file alone', () => {
  for (const { markup } of [renderOverview(dataWith('x')), renderStranger(), renderLogin()])
    expect(markup).not.toContain('<script');
  const { markup } = renderLoginFile('http://127.0.0.1:8765/login', 'ABCD');
  expect(markup).toMatch(/<script>\s*document\.forms\[0\]\.submit\(\);\s*<\/script>/);
  expect(markup).toContain('method="post" action="http://127.0.0.1:8765/login"');
});
