/** A part of a text that is a text itself in another encoding. */
export interface DecodedText {
  readonly encoding: 'base64' | 'hexadecimal' | 'percent' | 'escapes';
  readonly text: string;
}

const MAX_RUNS = 64;
const MAX_DECODED_CHARS = 8_192;
const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;
const HEX = /(?:[0-9a-fA-F]{2}){10,}|(?:\\x[0-9a-fA-F]{2}){6,}/g;
const PERCENT = /(?:%[0-9a-fA-F]{2}[^\s%]{0,2}){6,}/g;
const ESCAPES = /(?:\\u[0-9a-fA-F]{4}){6,}/g;

/** Readable texts within encoded parts. Each pattern takes linear time. */
export function decodePayloads(text: string): DecodedText[] {
  if (text.length < 16) return [];
  const found: DecodedText[] = [];
  const add = (encoding: DecodedText['encoding'], decoded: string | undefined) => {
    if (decoded !== undefined && isReadable(decoded)) found.push({ encoding, text: decoded });
  };
  for (const run of runsOf(text, BASE64)) {
    add('base64', Buffer.from(run, 'base64').toString('latin1'));
  }
  for (const run of runsOf(text, HEX)) {
    add('hexadecimal', Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('latin1'));
  }
  for (const run of runsOf(text, PERCENT)) add('percent', decodePercent(run));
  for (const run of runsOf(text, ESCAPES)) {
    const codes = run.split('\\u').slice(1);
    add('escapes', String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))));
  }
  return found;
}

const LONG_WORD = /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/;

/** Long words are not encoded texts, and do not count among the runs. */
function runsOf(text: string, pattern: RegExp): string[] {
  return (text.match(pattern) ?? [])
    .filter((run) => !LONG_WORD.test(run))
    .slice(0, MAX_RUNS)
    .map((run) => run.slice(0, MAX_DECODED_CHARS));
}

function decodePercent(run: string): string | undefined {
  try {
    return decodeURIComponent(run);
  } catch {
    return undefined;
  }
}

const PRINTABLE_SHARE = 0.95;

function isReadable(text: string): boolean {
  const printable = text.match(/[\t\n\x20-\x7e]/g)?.length ?? 0;
  return text.length >= 8 && printable / text.length >= PRINTABLE_SHARE;
}
