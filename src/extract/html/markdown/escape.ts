/** Writes text so that Markdown reads it back as the same text. */

const SPECIAL = /[\\`*_[\]<&~]/;
const SPECIALS = /[\\`*_[\]<&~]/g;
const ENTITY = /^&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/;

const ADDRESS = /\bhttps?:\/\/[^\s<>]+/g;

/** `link`: inside the text of a link, where brackets have to be balanced. */
export function escapeText(text: string, where: 'text' | 'link'): string {
  if (!SPECIAL.test(text)) return text;
  if (where === 'link' || !text.includes('://')) return escapeRun(text, where);
  // A backslash in an address would be read as a part of it; in angle brackets none is needed.
  let written = '';
  let from = 0;
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(match);
    if (!SPECIAL.test(address) || /[\\`]/.test(address)) continue;
    written += `${escapeRun(text.slice(from, index), where)}<${address}>`;
    from = index + address.length;
  }
  return written + escapeRun(text.slice(from), where);
}

/** What follows an address in a sentence is not part of it. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  while (end > 0 && `.,;:!?'")]}*_~`.includes(address[end - 1] as string)) end--;
  return address.slice(0, end);
}

function escapeRun(text: string, where: 'text' | 'link'): string {
  return text.replace(SPECIALS, (char, at: number) =>
    needsEscape(char, at, text, where) ? `\\${char}` : char,
  );
}

function needsEscape(char: string, at: number, text: string, where: 'text' | 'link'): boolean {
  const before = text[at - 1];
  const after = text[at + 1];
  switch (char) {
    case '_':
      // Inside of a word it never starts emphasis: names like `max_depth` stay readable.
      return !(isWord(before) && isWord(after));
    case '*':
    case '~':
      // The white space at either end may be removed at a line break.
      return !(isBlank(before) && isBlank(after) && isInner(text, at));
    case '[':
      return where === 'link' || after === '^' || after === ' ' || after === 'x' || after === 'X';
    case ']':
      return (
        where === 'link' || after === undefined || after === '(' || after === '[' || after === ':'
      );
    case '<':
      return after === undefined || /[A-Za-z/!?]/.test(after);
    case '&':
      return after === undefined || ENTITY.test(text.slice(at, at + 40));
    default:
      return true;
  }
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}

function isInner(text: string, at: number): boolean {
  return text.slice(0, at).trim() !== '' && text.slice(at + 1).trim() !== '';
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\n';
}

/** What starts a heading, quotation, list, rule, code fence or table at the beginning of a line. */
const LINE_START = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|=+\s*$|[-:|][-:|\s]*$|:(?=\s)|\|)/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/** Escapes the start of a line of a paragraph, so that it stays one. */
export function escapeLineStart(line: string): string {
  const first = line.charCodeAt(0);
  if (first >= 48 && first <= 57) return line.replace(NUMBERED, String.raw`$1\$2`);
  return LINE_START.test(line) ? `\\${line}` : line;
}

/** Inline code with as many backticks as its text requires. */
export function codeSpan(text: string): string {
  const runs: readonly string[] = text.match(/`+/g) ?? [];
  let fence = '`';
  while (runs.includes(fence)) fence += '`';
  const needsPad =
    text.startsWith('`') || text.endsWith('`') || (/^ .* $/.test(text) && text.trim() !== '');
  return needsPad ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** A destination that ends where the address ends: spaces and brackets are encoded. */
export function destination(url: string): string {
  return /[\s()<>\\]/.test(url)
    ? url.replace(/[\s()<>\\]/g, (char) =>
        char === '(' ? '%28' : char === ')' ? '%29' : encodeURIComponent(char),
      )
    : url;
}
