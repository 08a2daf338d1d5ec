import { ANSWER_LIMITS, ARGUMENT_LIMITS, isTooComplexJson, parseWithin } from './json-guard.ts';
import { asObject, type Unknown } from './json.ts';
import { isJsonPrefix } from './json-prefix.ts';

/**
 * JSON as models write it: in code fences, with prose around it, as a JSON string, twice, with a
 * comma before a closing bracket, with line breaks inside strings, or cut off. Three uses share one
 * scan: `readArguments` for text that is run and therefore has to be complete, `findJson` for an
 * answer that is checked by a schema, and `findObject` for advice, where partial data helps.
 */
export type ReadArguments =
  | { readonly is: 'read'; readonly value: Unknown }
  | { readonly is: 'unreadable'; readonly code: UnreadableCode };

/** `cut_off`: an object starts but is incomplete. `malformed`: it has a mistake before its end. */
export type UnreadableCode = 'cut_off' | 'malformed' | 'not_an_object' | 'several' | 'too_large';

/** A JSON value found in an answer, with its text. */
export interface FoundJson {
  readonly value: unknown;
  readonly text: string;
}

/** Longer texts are only parsed as a whole, as searching needs one pass per candidate. */
const MAX_SEARCHED_CHARS = 256 * 1024;
/** Limit of all scans of one search, including overlapping ones. */
const MAX_SCANNED_CHARS = 4 * MAX_SEARCHED_CHARS;
/** Fixed cost of one attempt, in characters: a failed parse throws an exception. */
const ATTEMPT_CHARS = 1000;
const MAX_DEPTH = 64;
const FENCE = '```';

/**
 * Parses the arguments of a tool call: an object, also in code fences, as a JSON string, or twice.
 * An empty text means no arguments.
 */
export function readArguments(text: string): ReadArguments {
  const trimmed = text.trim();
  const isFenced = trimmed.startsWith(FENCE);
  const isClosed = trimmed.endsWith(FENCE) && trimmed.length > 2 * FENCE.length;
  if (isFenced && !isClosed) return { is: 'unreadable', code: 'cut_off' };
  const bare = (isFenced ? betweenFences(trimmed) : undefined) ?? trimmed;
  if (bare === '') return { is: 'read', value: {} };
  const value = parseObject(bare) ?? parseObject(firstHalf(bare));
  return value ? { is: 'read', value } : { is: 'unreadable', code: codeOf(bare) };
}

/**
 * The arguments of a tool call as the text of a JSON object: unchanged where they are one, repaired
 * where that cannot change their meaning; undefined otherwise. Incomplete ones are never completed.
 */
export function repairArguments(text: string): string | undefined {
  if (asObject(parseWithin(text, ARGUMENT_LIMITS))) return text;
  const read = readArguments(text);
  if (read.is === 'read') return JSON.stringify(read.value);
  if (read.code !== 'malformed' && read.code !== 'cut_off') return undefined;
  const trimmed = text.trim();
  const bare = (trimmed.startsWith(FENCE) ? betweenFences(trimmed) : undefined) ?? trimmed;
  if (!bare.startsWith('{') || bare.length > MAX_SEARCHED_CHARS) return undefined;
  const { end, isClosed, mended } = scan(bare, 0);
  const isWhole = isClosed && end === bare.length;
  return isWhole && asObject(parseWithin(mended, ARGUMENT_LIMITS)) ? mended : undefined;
}

/** Whether the arguments are an incomplete object and must not be run. */
export function areCutOff(text: string): boolean {
  const read = readArguments(text);
  return read.is === 'unreadable' && read.code === 'cut_off';
}

/**
 * Candidates for the requested JSON in an answer, most likely first: the whole text, the fenced
 * part, and each bracketed part.
 */
export function* findJson(answer: string): Generator<FoundJson> {
  const whole = answer.replace(/^\uFEFF/, '').trim();
  const all = readWhole(whole);
  if (all) {
    yield all;
    const inner = typeof all.value === 'string' ? readWhole(all.value.trim()) : undefined;
    if (inner) yield inner;
    return;
  }
  if (whole.length > MAX_SEARCHED_CHARS) return;
  const fenced = readWhole(betweenFences(whole) ?? '');
  if (fenced) yield fenced;
  for (const { value, text, isWhole } of bracketed(whole, ANY_VALUE))
    if (isWhole) yield { value, text };
}

/**
 * The first object in an answer that `read` accepts. Of an incomplete one the complete members are
 * used.
 */
export function findObject<T>(
  answer: string,
  read: (value: Unknown) => T | undefined,
): T | undefined {
  if (answer.length > MAX_SEARCHED_CHARS) return undefined;
  const inner = /^\s*"/.test(answer) ? parseWithin(answer, ANSWER_LIMITS) : undefined;
  for (const { value } of bracketed(typeof inner === 'string' ? inner : answer, OBJECT)) {
    const object = asObject(value);
    const found = object && read(object);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parseObject(text: string): Unknown | undefined {
  const value = parseWithin(text, ARGUMENT_LIMITS);
  // Some vendors send the JSON as a JSON string.
  return asObject(typeof value === 'string' ? parseWithin(value, ARGUMENT_LIMITS) : value);
}

/** Half of a text that is the same text twice; empty otherwise. */
function firstHalf(text: string): string {
  const half = Math.floor(text.length / 2);
  const first = text.slice(0, half).trim();
  return first === text.slice(half).trim() ? first : '';
}

function codeOf(text: string): UnreadableCode {
  if (!text.startsWith('{')) return 'not_an_object';
  if (isTooComplexJson(text, ARGUMENT_LIMITS)) return 'too_large';
  const list = parseWithin(`[${text.replaceAll('}{', '},{')}]`, ARGUMENT_LIMITS);
  if (list !== undefined) return 'several';
  return isJsonPrefix(text) ? 'cut_off' : 'malformed';
}

/**
 * The text between the first and last fence, as JSON strings may contain fences; without the
 * language tag.
 */
function betweenFences(text: string): string | undefined {
  const open = text.indexOf(FENCE);
  if (open === -1) return undefined;
  const close = text.lastIndexOf(FENCE);
  const inner = text.slice(open + FENCE.length, close > open ? close : undefined);
  return inner.replace(LANGUAGE, '').trim();
}

/** A language tag must be followed by something; a single word is content. */
const LANGUAGE = /^\w{1,40}(?:[ \t]*\n|\s+(?=\S)|(?=[[{"]))/;

function readWhole(text: string): FoundJson | undefined {
  if (text === '') return undefined;
  const value = parseWithin(text, ANSWER_LIMITS);
  if (value !== undefined) return { value, text };
  if (!/^[[{]/.test(text) || text.length > MAX_SEARCHED_CHARS) return undefined;
  const { end, isClosed, mended } = scan(text, 0);
  const repaired = isClosed && end === text.length ? parseWithin(mended, ANSWER_LIMITS) : undefined;
  return repaired === undefined ? undefined : { value: repaired, text: mended };
}

/**
 * Possible starts of a value. Useful objects have a member name, unlike most braces in prose and
 * code.
 */
const ANY_VALUE = /[[{]/g;
const OBJECT = /\{\s{0,1000}"/g;

interface Bracketed extends FoundJson {
  /** False if the value is incomplete and only its complete members were read. */
  readonly isWhole: boolean;
}

function* bracketed(text: string, start: RegExp): Generator<Bracketed> {
  let scanned = 0;
  for (let at = startAfter(0); at !== -1 && scanned < MAX_SCANNED_CHARS;) {
    const span = scan(text, at);
    scanned += span.end - at + ATTEMPT_CHARS;
    const found = readSpan(text.slice(at, span.end), span);
    if (found) yield found;
    // Invalid JSON may contain valid JSON: a brace in prose or code encloses everything after it.
    at = startAfter(found?.isWhole ? span.end : at + 1);
  }

  function startAfter(from: number): number {
    start.lastIndex = from;
    return start.exec(text)?.index ?? -1;
  }
}

function readSpan(text: string, { isClosed, mended }: Span): Bracketed | undefined {
  const value = isClosed ? parseWithin(text, ANSWER_LIMITS) : undefined;
  if (value !== undefined) return { value, text, isWhole: true };
  const repaired = parseWithin(mended, ANSWER_LIMITS);
  return repaired === undefined ? undefined : { value: repaired, text: mended, isWhole: isClosed };
}

interface Span {
  /** Index after the closing bracket, or where the scan ended. */
  readonly end: number;
  readonly isClosed: boolean;
  /**
   * Repaired text: no trailing commas, control characters escaped, closed after the last complete
   * member.
   */
  readonly mended: string;
}

/**
 * Scans the value whose opening bracket is at `start`. Repairs only what cannot change the meaning.
 */
function scan(text: string, start: number): Span {
  const pieces: string[] = [];
  const closers: string[] = [];
  let from = start;
  /** The last position where the value could be closed. */
  let lastWhole = { pieces: 0, from: start, to: start, depth: 0 };
  const flush = (to: number, replacement = '') => {
    pieces.push(text.slice(from, to), replacement);
    from = to + 1;
  };
  let isString = false;
  let comma = -1;
  let at = start;
  for (; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
      else if (char < ' ') flush(at, JSON.stringify(char).slice(1, -1));
      continue;
    }
    if (char <= ' ') continue;
    if (char === '"') isString = true;
    else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      if (closers.length > MAX_DEPTH) break;
    } else if (char === '}' || char === ']') {
      if (closers.at(-1) !== char) break;
      if (comma !== -1) flush(comma);
      closers.pop();
      lastWhole = { pieces: pieces.length, from, to: at + 1, depth: closers.length };
      if (closers.length === 0) break;
    }
    comma = char === ',' ? at : -1;
    if (char === ',') lastWhole = { pieces: pieces.length, from, to: at, depth: closers.length };
  }
  const isClosed = lastWhole.to > start && lastWhole.depth === 0;
  const whole = [...pieces.slice(0, lastWhole.pieces), text.slice(lastWhole.from, lastWhole.to)];
  const rest = closers.slice(0, lastWhole.depth).toReversed();
  return {
    end: isClosed ? lastWhole.to : Math.min(at, text.length),
    isClosed,
    mended: [...whole, ...rest].join(''),
  };
}
