import { hidingOf, MASK, type Hiding } from './secret-names.ts';

// A name, then `=` or `:` as code, JSON (also inside JSON), URLs and headers write it, up to where the value begins.
// What a percent code leaves before a name (`%3Ftoken`) is not part of it.
const QUOTE = String.raw`\\{0,7}(?:["'\x60]|%22|&quot;)`;
const ASSIGNMENT = new RegExp(
  String.raw`(?<![A-Za-z0-9_.-])(?:(?<=%)[0-9a-f]{2})?([A-Za-z0-9_.-]+)(?:${QUOTE})?[ \t]{0,20}(?:[:=]|%3[ad])[ \t]{0,20}(${QUOTE})?`,
  'gi',
);
const SIGN = /[:=]|%3[ad]/i;

// Where a value without quotes ends. A password may hold any sign, so it ends with the word.
const END = {
  query: /[\s&#"'`<>]|%26|%23|%22|$/gi,
  texts: /[\s&,;)}\]"'`<>|]|\\["'`]|%26|%22|$/gi,
  all: /[\s"'`]|\\["'`]|$/g,
  line: /[\r\n]|\\[rn]|$/g,
};

const HEADER = /(?:authorization|cookies?)$/i;
const HARMLESS = /^(?:-?\d{1,15}(?:\.\d{1,15})?|true|false|null|undefined|none)$/i;
const QUERY_ONLY = new Set(['code', 'key', 'sig', 'signature']);

/** Hides the value in `API_KEY=…`, `"apiKey": "…"`, `?token=…` and `Cookie: …`, wherever they stand in a text. */
export function maskAssignments(text: string): string {
  if (!SIGN.test(text)) return text;
  let masked = '';
  let done = 0;
  ASSIGNMENT.lastIndex = 0;
  for (let found = ASSIGNMENT.exec(text); found; found = ASSIGNMENT.exec(text)) {
    const [, name = '', quote = ''] = found;
    const start = ASSIGNMENT.lastIndex;
    const before = text[found.index - 1] ?? '';
    const hiding = hidingIn(before, name);
    // What follows the sign may be a name in turn, as in `a=token=x`.
    ASSIGNMENT.lastIndex = start - quote.length;
    if (hiding === 'nothing') continue;
    const end =
      quote === '' ? bareEnd(text, start, name, before, hiding) : closing(text, start, quote);
    const value = text.slice(start, end);
    if (isHarmless(value, hiding)) continue;
    masked += text.slice(done, start) + MASK;
    done = ASSIGNMENT.lastIndex = end;
  }
  return done === 0 ? text : masked + text.slice(done);
}

function hidingIn(before: string, name: string): Hiding {
  return isQuery(before) && QUERY_ONLY.has(name.toLowerCase()) ? 'texts' : hidingOf(name);
}

function isQuery(before: string): boolean {
  return before === '?' || before === '&';
}

function isHarmless(value: string, hiding: Hiding): boolean {
  if (value === '' || value === MASK || value === MASK.slice(0, -1)) return true;
  return hiding === 'texts' && HARMLESS.test(value);
}

function bareEnd(
  text: string,
  start: number,
  name: string,
  before: string,
  hiding: 'texts' | 'all',
): number {
  if (isQuery(before)) return indexOf(text, END.query, start);
  if (!HEADER.test(name)) return indexOf(text, END[hiding], start);
  // A header's value has spaces and commas in it and ends with the line, or with the quotes around the header.
  const lineEnd = indexOf(text, END.line, start);
  const quoteEnd = `"'\``.includes(before || ' ') ? text.indexOf(before, start) : -1;
  // After `=` the quote opens a parameter, as in `Digest response="…"`, and says nothing about the end.
  return quoteEnd === -1 || text[quoteEnd - 1] === '=' ? lineEnd : Math.min(lineEnd, quoteEnd);
}

/** Where the quote that opened comes back with as many backslashes before it; any more of them escape it. */
function closing(text: string, start: number, quote: string): number {
  const isEscaped = quote.startsWith('\\')
    ? (backslashes: number) => backslashes > 0
    : (backslashes: number) => backslashes % 2 === 1;
  for (let at = text.indexOf(quote, start); at !== -1; at = text.indexOf(quote, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > start && text[at - backslashes - 1] === '\\') backslashes++;
    if (!isEscaped(backslashes)) return at;
  }
  return text.length;
}

function indexOf(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
