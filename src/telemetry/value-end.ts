import type { Hiding } from '#core/secret-names.ts';

// Where a value without quotes ends. A password may hold any sign, so it ends with the word.
const END = {
  query: /[\s&#"'`<>]|%26|%23|%22|$/gi,
  texts: /[\s&,;)}\]"'`<>|]|\\["'`]|%26|%22|$/gi,
  all: /[\s"'`]|\\["'`]|$/g,
  line: /[\r\n]|\\[rn]|$/g,
};

const HEADER = /(?:authorization|cookies?)$/i;

/** A value without quotes: the name and sign before it say how it was written. */
export interface BareValue {
  readonly name: string;
  /** The character before the name. */
  readonly before: string;
  readonly hiding: Exclude<Hiding, 'nothing'>;
}

export function isQuery(before: string): boolean {
  return before === '?' || before === '&';
}

export function bareEnd(text: string, start: number, { name, before, hiding }: BareValue): number {
  if (isQuery(before)) return indexOf(text, END.query, start);
  if (!HEADER.test(name)) return indexOf(text, END[hiding], start);
  // A header's value has spaces and commas in it and ends with the line, or with the quotes around the header.
  const lineEnd = indexOf(text, END.line, start);
  const quoteEnd = `"'\``.includes(before || ' ') ? text.indexOf(before, start) : -1;
  // After `=` the quote opens a parameter, as in `Digest response="…"`, and says nothing about the end.
  return quoteEnd === -1 || text[quoteEnd - 1] === '=' ? lineEnd : Math.min(lineEnd, quoteEnd);
}

/** Where the quote that opened comes back with as many backslashes before it; any more of them escape it. */
export function quotedEnd(text: string, start: number, quote: string): number {
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
