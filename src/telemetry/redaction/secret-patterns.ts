import { hidingOf, isSecretParameter, MASK, type Hiding } from '#core/secrets/secret-names.ts';

// Every pattern starts at a literal or at the edge of a run of its characters, so hostile input
// costs linear time.

const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

const PREFIXED = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    // EX-AI: of the owner, and of clients
    'exai(?:-owner-|_)[A-Za-z0-9_-]{20,}',
    // OpenAI, Moonshot, OpenRouter, Anthropic; Stripe; Composio; Perplexity, Tavily, xAI
    '(?:sk-|[prs]k_(?:live|test)_|whsec_|ak_|pplx-|tvly-|xai-)[A-Za-z0-9_-]{8,}',
    // Logfire; GitHub, GitLab, npm, Hugging Face, Groq, Replicate, DigitalOcean
    'pylf_[A-Za-z0-9_]{10,}',
    '(?:gh[oprsu]_|github_pat_|npm_|hf_|gsk_|r8_|dop_v1_)[A-Za-z0-9_]{20,}',
    'glpat-[A-Za-z0-9_-]{20,}',
    // Google, Slack, AWS, SendGrid
    '(?:AIza|ya29\\.|GOCSPX-)[A-Za-z0-9_-]{20,}',
    '(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}',
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
    'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
    // Zhipu and Z.ai
    '[0-9A-Fa-f]{32}\\.[A-Za-z0-9]{16}(?![A-Za-z0-9])',
  ].join('|')})`,
  'g',
);

// Signed tokens have three parts, encrypted ones five.
const JSON_WEB_TOKEN =
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,3}/g;

// The negative lookahead lists words that follow "bearer" in a sentence.
const BEARER =
  /(?<![A-Za-z0-9])(bearer[ \t:]{1,4})(?!(?:auth|authentication|authorization|credentials?|header|is|or|scheme|tokens?|was)(?![A-Za-z0-9._~+/=-]))[A-Za-z0-9._~+/=-]{4,}/gi;

const BASIC = /(?<![A-Za-z0-9])(basic[ \t:]{1,4})([A-Za-z0-9+/_-]{4,}={0,2})/gi;

// A password may contain a slash, though it should be %2F; digits before a slash are a port.
const URL_PASSWORD =
  /(:\/\/[^\s/?#@:"'<>[\]]{0,256}:)(?:[^\s/?#"'<>]{1,512}|(?!\d{1,5}[/?#])[^\s"'<>]{1,128})@/g;

// Web services also accept a token as the user name; in other URLs, as in ssh://git@host, it is
// only a name.
const URL_TOKEN = /(https?:\/\/)[^\s/?#@:"'<>]{1,512}@/gi;

// `curl -u user:password`, with or without quotes. Two numbers are the ids of a user and a group.
const LOGIN_OPTION = String.raw`(?<![^\s"'\x60])(?:-u|--user|--proxy-user)[ \t=]{1,4}`;
const LOGIN = new RegExp(
  String.raw`(${LOGIN_OPTION}(?!\d{1,6}:\d{1,6}(?!\S))[^\s:"'\\]{1,256}:)[^\s"'\\]{1,512}`,
  'g',
);
const QUOTED_LOGIN = new RegExp(
  String.raw`(${LOGIN_OPTION}\\{0,7}["'][^:"'\\]{1,256}:)[^"'\\]{1,512}`,
  'g',
);

const SHORTEST = 8;

/** Masks everything that looks like a secret in a text. */
export function maskShapes(text: string): string {
  if (text.length < SHORTEST) return text;
  return maskAssignments(text.replace(PRIVATE_KEY, MASK))
    .replace(PREFIXED, MASK)
    .replace(JSON_WEB_TOKEN, MASK)
    .replace(BEARER, `$1${MASK}`)
    .replace(BASIC, maskBasic)
    .replace(URL_PASSWORD, `$1${MASK}@`)
    .replace(URL_TOKEN, `$1${MASK}@`)
    .replace(LOGIN, `$1${MASK}`)
    .replace(QUOTED_LOGIN, `$1${MASK}`);
}

/**
 * Masks basic credentials, which are base64 of `user:password`; "Basic authentication" is only a
 * phrase.
 */
function maskBasic(whole: string, scheme: string, encoded: string): string {
  return Buffer.from(encoded, 'base64').includes(':') ? scheme + MASK : whole;
}

// A name and `=`, `:` or `=>` as in code, JSON (also nested as text), URLs and headers, up to the
// start of the value. Each level of nested JSON doubles the backslashes and adds one. The rest of a
// percent code before a name (`%3Ftoken`) is not part of the name.
const QUOTE = String.raw`\\{0,63}(?:["'\x60]|%22|&quot;)`;
const ASSIGNMENT = new RegExp(
  String.raw`(?<![A-Za-z0-9_.-])(?:(?<=%)[0-9a-f]{2})?([A-Za-z0-9_.-]+)(?:${QUOTE})?\]?[ \t]{0,20}(?:[:=]{1,3}>?|%3[ad])[ \t]{0,20}(${QUOTE})?`,
  'gi',
);
const SIGN = /[:=]|%3[ad]/i;

const HARMLESS = /^(?:-?\d{1,15}(?:\.\d{1,15})?|true|false|null|undefined|none)$/i;
// A placeholder in instructions: `Bearer <EXAI_TOKEN>`.
const PLACEHOLDER =
  /^(?:(?:bearer|basic|token)[ \t]{1,4})?<(?:[a-z]{1,20}[_ -]){0,4}(?:token|key|secret|password)>[.,;]?$/i;

// `"name": "password", "value": "…"`: name and value are two assignments.
const PAIR_NAME = /^(?:name|key|header)$/i;
const PAIR_VALUE = /^(?:values?|val)$/i;
const WORD = /[\w.-]{1,256}/y;
const BETWEEN_PAIR = /^[\s\\"'`,;&]{0,200}$/;

/** The name in the last `name=…`. */
interface Named {
  readonly hiding: Hiding;
  readonly end: number;
}

/**
 * Masks the value in `API_KEY=…`, `"apiKey": "…"`, `?token=…` and `Cookie: …` anywhere in a text.
 */
function maskAssignments(text: string): string {
  if (!SIGN.test(text)) return text;
  let masked = '';
  let done = 0;
  let named: Named = { hiding: 'nothing', end: 0 };

  const hide = ({ start, end }: TextRange, hiding: Hiding) => {
    if (isHarmless(text.slice(start, end), hiding)) return;
    masked += text.slice(done, start) + MASK;
    done = ASSIGNMENT.lastIndex = end;
  };

  ASSIGNMENT.lastIndex = 0;
  for (let found = ASSIGNMENT.exec(text); found; found = ASSIGNMENT.exec(text)) {
    const [, name = '', quote = ''] = found;
    const start = ASSIGNMENT.lastIndex;
    const before = text[found.index - 1] ?? '';
    // The value may contain another assignment, as in `a=token=x`.
    ASSIGNMENT.lastIndex = start - quote.length;
    const isPaired = PAIR_VALUE.test(name) && isNextTo(named, found.index, text);
    const hiding = isPaired ? named.hiding : hidingIn(before, name);
    if (hiding !== 'nothing') {
      hide(valueAt(text, start, quote, { name, before, hiding }), hiding);
    } else if (PAIR_NAME.test(name)) {
      named = namedAt(text, start);
      const field = named.hiding === 'nothing' ? undefined : formField(text, named.end);
      if (field) hide(field, named.hiding);
    }
  }
  return done === 0 ? text : masked + text.slice(done);
}

function valueAt(
  text: string,
  start: number,
  quote: string,
  bare: Parameters<typeof bareEnd>[2],
): TextRange {
  if (quote !== '') return { start, end: quotedEnd(text, start, quote) };
  return yamlBlock(text, start) ?? { start, end: bareEnd(text, start, bare) };
}

function namedAt(text: string, start: number): Named {
  WORD.lastIndex = start;
  const word = WORD.exec(text)?.[0] ?? '';
  return { hiding: hidingOf(word), end: start + word.length };
}

function isNextTo({ hiding, end }: Named, at: number, text: string): boolean {
  return hiding !== 'nothing' && at - end < 200 && BETWEEN_PAIR.test(text.slice(end, at));
}

function hidingIn(before: string, name: string): Hiding {
  const hiding = hidingOf(name);
  return hiding === 'nothing' && isQuery(before) && isSecretParameter(name) ? 'texts' : hiding;
}

function isHarmless(value: string, hiding: Hiding): boolean {
  if (value === '' || value === MASK || value === MASK.slice(0, -1)) return true;
  return PLACEHOLDER.test(value) || (hiding === 'texts' && HARMLESS.test(value));
}

/** A range of a text; `end` is exclusive. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

const BLOCK_HEAD = /[|>][-+0-9]{0,2}[ \t]{0,20}(?:#[^\r\n]{0,200})?\r?\n([ \t]+)/y;

/** The value of a YAML block `name: |`: all following lines with the indent of the first. */
function yamlBlock(text: string, at: number): TextRange | undefined {
  BLOCK_HEAD.lastIndex = at;
  const indent = BLOCK_HEAD.exec(text)?.[1];
  if (indent === undefined) return undefined;
  const start = BLOCK_HEAD.lastIndex;
  const inside = new RegExp(`\\n(?:[ \\t]{${Math.min(indent.length, 1000)}}|\\r?(?:\\n|$))`, 'y');
  let end = lineEnd(text, start);
  for (; end < text.length; end = lineEnd(text, end + 1)) {
    inside.lastIndex = end;
    if (!inside.test(text)) break;
  }
  return { start, end };
}

// Between the name of a form field and its value: the rest of the line, more headers, an empty
// line.
const FIELD_HEAD = /"[^\r\n]{0,256}(?:\r?\n[^\r\n]{1,256}){0,3}\r?\n\r?\n/y;
const ESCAPED_FIELD_HEAD =
  /\\{1,63}"[^\\]{0,256}(?:(?:\\{1,63}r)?\\{1,63}n[^\\]{1,256}){0,3}(?:(?:\\{1,63}r)?\\{1,63}n){2}/y;

/** The value of a multipart form field, after its name and up to the next boundary. */
function formField(text: string, at: number): TextRange | undefined {
  return (
    fieldBelow(text, at, FIELD_HEAD, '\n--') ?? fieldBelow(text, at, ESCAPED_FIELD_HEAD, '\\n--')
  );
}

function fieldBelow(
  text: string,
  at: number,
  head: RegExp,
  boundary: string,
): TextRange | undefined {
  head.lastIndex = at;
  if (!head.test(text)) return undefined;
  const start = head.lastIndex;
  // The value may be empty; the line end before the boundary then also ends the head.
  const end = text.indexOf(boundary, start - boundary.length + '--'.length);
  return { start, end: end === -1 ? text.length : Math.max(start, end) };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

// The end of a value without quotes. A password may contain any punctuation, so it ends at a blank
// or quote.
const END = {
  query: /[\s&#"'`<>]|%26|%23|%22|$/gi,
  texts: /[\s&,;)}\]"'`<>|]|\\["'`]|%26|%22|$/gi,
  all: /[\s"'`]|\\["'`]|$/g,
  line: /[\r\n]|\\[rn]|$/g,
};

const HEADER = /(?:authorization|cookies?)$/i;

/** The context of a value without quotes, which decides where it ends. */
interface BareValue {
  readonly name: string;
  /** The character before the name. */
  readonly before: string;
  readonly hiding: Exclude<Hiding, 'nothing'>;
}

function isQuery(before: string): boolean {
  return before === '?' || before === '&';
}

function bareEnd(text: string, start: number, { name, before, hiding }: BareValue): number {
  if (isQuery(before)) return indexOf(text, END.query, start);
  if (!HEADER.test(name)) return indexOf(text, END[hiding], start);
  // A header value may contain spaces and commas; it ends with the line or with the quotes around
  // the header.
  const lineEnd = indexOf(text, END.line, start);
  const quoteEnd = `"'\``.includes(before || ' ') ? text.indexOf(before, start) : -1;
  // After `=` the quote opens a parameter, as in `Digest response="…"`, and is not the end.
  return quoteEnd === -1 || text[quoteEnd - 1] === '=' ? lineEnd : Math.min(lineEnd, quoteEnd);
}

/**
 * The position of the closing quote: the same quote with as many backslashes; more of them escape
 * it.
 */
function quotedEnd(text: string, start: number, quote: string): number {
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
