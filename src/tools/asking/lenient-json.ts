import { isRecord, type JsonRecord } from './json-record.ts';

/** Whoever says more than this is not read for data; the text is kept as it is. */
const MAX_CHARS = 200_000;
/** Of all looking at braces that open nothing of use, the same ones again included. */
const MAX_LOOKED_CHARS = 800_000;
/** What a try costs beside its length: an exception is worth so many characters. */
const TRY_CHARS = 400;
/** Deeper than any answer that was asked for. */
const MAX_DEPTH = 64;

/**
 * The first object in what a model said that is what is looked for. Models fence it, talk around it, leave commas behind, break
 * lines inside texts, and stop in the middle: what is whole of it counts.
 */
export function findObject<T>(
  said: string,
  read: (value: JsonRecord) => T | undefined,
): T | undefined {
  if (said.length > MAX_CHARS) return undefined;
  let looked = 0;
  for (let at = nextStart(said, 0); at !== -1 && looked < MAX_LOOKED_CHARS;) {
    const span = scan(said, at);
    looked += span.end - at + TRY_CHARS;
    const value = (span.isClosed && parsed(said.slice(at, span.end))) || parsed(span.mended);
    const found = value && read(value);
    if (found !== undefined) return found;
    // What is no object may hold one: a brace in prose or code has everything after it inside.
    at = nextStart(said, span.isClosed && value ? span.end : at + 1);
  }
  return undefined;
}

/** Where an object may begin that says something: most braces of prose and code are followed by no quote. */
function nextStart(text: string, from: number): number {
  const start = /\{\s{0,1000}"/g;
  start.lastIndex = from;
  return start.exec(text)?.index ?? -1;
}

interface Span {
  /** Behind the brace that closes it, or where it was given up. */
  readonly end: number;
  readonly isClosed: boolean;
  /** The same as JSON, as far as it can be made so. */
  readonly mended: string;
}

/** One pass over an object: without commas that nothing follows, with its line breaks escaped, and closed where it was cut. */
function scan(text: string, start: number): Span {
  const pieces: string[] = [];
  const closers: string[] = [];
  let from = start;
  /** Until where it could be closed: so many pieces, and what follows them. */
  let lastWhole = { pieces: 0, from: start, to: start, depth: 0 };
  const flush = (to: number, instead = '') => {
    pieces.push(text.slice(from, to), instead);
    from = to;
  };
  let isString = false;
  let comma = -1;
  let at = start;
  for (; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
      else if (char < ' ') {
        flush(at, escaped(char));
        from = at + 1;
      }
      continue;
    }
    if (char <= ' ') continue;
    if (char === '"') isString = true;
    else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      if (closers.length > MAX_DEPTH) break;
    } else if (char === '}' || char === ']') {
      if (closers.at(-1) !== char) break;
      if (comma !== -1) {
        flush(comma);
        from = comma + 1;
      }
      closers.pop();
      lastWhole = { pieces: pieces.length, from, to: at + 1, depth: closers.length };
      if (closers.length === 0) {
        flush(at + 1);
        return { end: at + 1, isClosed: true, mended: pieces.join('') };
      }
    }
    comma = char === ',' ? at : -1;
    if (char === ',') lastWhole = { pieces: pieces.length, from, to: at, depth: closers.length };
  }
  const rest = closers.slice(0, lastWhole.depth).toReversed();
  const whole = [...pieces.slice(0, lastWhole.pieces), text.slice(lastWhole.from, lastWhole.to)];
  return { end: at, isClosed: false, mended: [...whole, ...rest].join('') };
}

function escaped(char: string): string {
  return JSON.stringify(char).slice(1, -1);
}

function parsed(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // No JSON: something else in the text may be.
    return undefined;
  }
}
