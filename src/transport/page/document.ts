import { createHash } from 'node:crypto';
import type { HeaderList, HttpContext } from '../http/http-context.ts';
import { html, type Html } from './html.ts';
import { STYLE } from './style.ts';

/** Sends an HTML document. Nothing of it may run, be framed, be stored or load anything. */
export function sendDocument(
  context: HttpContext,
  status: number,
  document: Html,
  headers: HeaderList = [],
): void {
  context.answer(status, 'text/html; charset=utf-8', document.markup, [
    ...PAGE_HEADERS,
    ...headers,
  ]);
}

/** The policy allows our style by its digest, so an injected style would not apply either. */
const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const PAGE_HEADERS: HeaderList = [
  'content-security-policy',
  CONTENT_POLICY,
  'x-frame-options',
  'DENY',
  // Not `no-referrer`: with it, the forms of our own page would hide their origin.
  'referrer-policy',
  'same-origin',
  'cross-origin-opener-policy',
  'same-origin',
  'cross-origin-resource-policy',
  'same-origin',
];

/** Without an icon in the page, a browser would request /favicon.ico. */
const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#123"/>' +
      '<path d="M10 7H5v10h5M5 12h4M13 7l6 10M19 7l-6 10" fill="none" stroke="#7df" stroke-width="2"/></svg>',
  );

const STYLE_ELEMENT: Html = { markup: `<style>${STYLE}</style>` };
const ICON_ELEMENT: Html = { markup: `<link rel="icon" href="${ICON}">` };

/** A whole document around its body. `then`: where the browser goes at once. */
export function renderDocument(title: string, body: Html, then?: '/'): Html {
  const refresh = then && html`<meta http-equiv="refresh" content="0; url=${then}" />`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${refresh}${ICON_ELEMENT} ${STYLE_ELEMENT}
      </head>
      <body>
        ${body}
      </body>
    </html> `;
}

/** A small document with one heading. */
export function renderMessage(title: string, body?: Html, then?: '/'): Html {
  return renderDocument(
    title,
    html`<main class="message">
      <h1>${title}</h1>
      ${body}
    </main>`,
    then,
  );
}
