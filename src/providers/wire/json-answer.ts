import { parseJson } from './json-read.ts';

/** A piece of an answer that is JSON, with the text that says so. */
export interface FoundJson {
  readonly value: unknown;
  readonly text: string;
}

/** How many places of an answer are looked at; a model that is asked for one value rarely gives three. */
const MAX_STARTS = 8;
const FENCE = '```';
/** A longer answer is JSON as it stands or not at all: looking for it costs a second pass for each place. */
const MAX_SEARCHED_CHARS = 256 * 1024;

/**
 * What of an answer may be the JSON that was asked for, the likeliest first: all of it, what stands between fences, and whatever is
 * bracketed in prose. Only what cannot change a meaning is mended: commas before a closing bracket, and line breaks within texts.
 */
export function* findJson(answer: string): Generator<FoundJson> {
  const whole = answer.replace(/^\uFEFF/, '').trim();
  const all = read(whole);
  if (all) {
    yield all;
    // Some models send the JSON as a JSON string.
    if (typeof all.value === 'string') yield* present(read(all.value.trim()));
    return;
  }
  if (whole.length > MAX_SEARCHED_CHARS) return;
  yield* present(read(fenced(whole)));
  let from = 0;
  for (let starts = 0; starts < MAX_STARTS; starts += 1) {
    const at = nextBracket(whole, from);
    if (at === -1) return;
    const end = endOfValue(whole, at);
    const found = end === -1 ? undefined : read(whole.slice(at, end));
    if (found) yield found;
    from = found ? end : at + 1;
  }
}

function* present(found: FoundJson | undefined): Generator<FoundJson> {
  if (found) yield found;
}

function read(text: string | undefined): FoundJson | undefined {
  if (text === undefined || text === '') return undefined;
  const value = parseJson(text);
  if (value !== undefined) return { value, text };
  if (!/^[[{]/.test(text) || text.length > MAX_SEARCHED_CHARS) return undefined;
  const tidy = tidied(text);
  const mended = parseJson(tidy);
  return mended === undefined ? undefined : { value: mended, text: tidy };
}

function fenced(text: string): string | undefined {
  const open = text.indexOf(FENCE);
  const line = open === -1 ? -1 : text.indexOf('\n', open);
  if (line === -1) return undefined;
  // The last fence closes: a text within the JSON may hold fences of its own.
  const close = text.lastIndexOf(FENCE);
  return text.slice(line + 1, close > line ? close : undefined).trim();
}

function nextBracket(text: string, from: number): number {
  const brace = text.indexOf('{', from);
  const square = text.indexOf('[', from);
  if (brace === -1 || square === -1) return Math.max(brace, square);
  return Math.min(brace, square);
}

/** After the bracket that closes the one at `from`; -1 when none does. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfText(text, at);
    else if (char === '{' || char === '[') depth += 1;
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1;
  }
  return -1;
}

/** The quote that closes the one at `from`, or the end. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function tidied(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') {
      const end = endOfText(text, at);
      pieces.push(text.slice(from, at), text.slice(at, end + 1).replaceAll(CONTROLS, escaped));
      at = end;
      from = end + 1;
    } else if (text[at] === ',' && CLOSES.test(text.slice(at + 1, at + 1 + MAX_GAP))) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}

const MAX_GAP = 200;
const CLOSES = /^\s*[}\]]/;
const CONTROLS = /\p{Cc}/gu;

function escaped(control: string): string {
  return JSON.stringify(control).slice(1, -1);
}
