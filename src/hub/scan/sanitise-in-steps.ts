import type { ForeignResult } from '#core/hub/foreign-result.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import { pause } from '#core/turns.ts';
import {
  isUnwantedIn,
  sanitiseResult,
  TERMINAL_SEQUENCE,
  withoutHiddenCharacters,
  BASE64_MEMBERS,
} from './sanitise-result.ts';

/** Some milliseconds of work. */
const STEP_CHARS = 131_072;
/** What a value costs beside its text, in characters that take the same time. */
const VALUE_CHARS = 16;
/** How far back to look for a line's end at which to cut. */
const MAX_BACK = 4_096;
const LAST_OF_ASCII = 0x7f;

/** As `sanitiseResult`; a large result in steps, with pauses for other work. */
export function sanitiseAny(result: ForeignResult): ForeignResult | Promise<ForeignResult> {
  return isLarge(result) ? inSteps(sanitiseLarge(result)) : sanitiseResult(result);
}

function isLarge({ content, structuredContent }: ForeignResult): boolean {
  const open: unknown[] = [content, structuredContent];
  let chars = 0;
  while (open.length > 0 && chars < STEP_CHARS) {
    const value = open.pop();
    chars += typeof value === 'string' ? value.length : VALUE_CHARS;
    if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) open.push(each);
  }
  return chars >= STEP_CHARS;
}

async function inSteps<T>(work: Generator<undefined, T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await pause();
    step = work.next();
  }
  return step.value;
}

/** What has been done since the last pause. */
interface Progress {
  chars: number;
}

function* sanitiseLarge(result: ForeignResult): Generator<undefined, ForeignResult> {
  const progress: Progress = { chars: 0 };
  const content = yield* sanitiseValue(result.content, progress);
  const { structuredContent } = result;
  const data = structuredContent && (yield* sanitiseValue(structuredContent, progress));
  return {
    ...result,
    content: content as readonly JsonObject[],
    ...(data && { structuredContent: data as JsonObject }),
  };
}

function* sanitiseValue(value: Json, progress: Progress): Generator<undefined, Json> {
  if (typeof value === 'string') return yield* sanitiseLongText(value, progress);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const clean: Json[] = [];
    for (const each of value as readonly Json[]) clean.push(yield* sanitiseValue(each, progress));
    return clean;
  }
  const clean: [string, Json][] = [];
  for (const [name, each] of Object.entries(value)) {
    const isKept = BASE64_MEMBERS.has(name) && typeof each === 'string';
    clean.push([name, isKept ? each : yield* sanitiseValue(each, progress)]);
  }
  // Defines members as JSON.parse does, `__proto__` included.
  return Object.fromEntries(clean);
}

function* sanitiseLongText(text: string, progress: Progress): Generator<undefined, string> {
  progress.chars += VALUE_CHARS;
  let isClean = true;
  for (const part of partsOf(text)) {
    isClean &&= !isUnwantedIn(part);
    if (isStepOver(progress, part.length)) yield;
  }
  if (isClean) return text;
  const plain = yield* withoutSequences(text, progress);
  const clean: string[] = [];
  for (const part of partsOf(plain)) {
    clean.push(withoutHiddenCharacters(part));
    if (isStepOver(progress, part.length)) yield;
  }
  return clean.join('');
}

function isStepOver(progress: Progress, chars: number): boolean {
  progress.chars += chars;
  if (progress.chars < STEP_CHARS) return false;
  progress.chars = 0;
  return true;
}

/** A sequence may be anywhere in a text, so they are looked for in the whole of it. */
function* withoutSequences(text: string, progress: Progress): Generator<undefined, string> {
  const parts: string[] = [];
  let kept = 0;
  for (let at = nextBegin(text, 0); at !== -1;) {
    TERMINAL_SEQUENCE.lastIndex = at;
    const found = TERMINAL_SEQUENCE.exec(text);
    if (found) {
      parts.push(text.slice(kept, at));
      kept = at + found[0].length;
    }
    const from = Math.max(kept, at + 1);
    at = nextBegin(text, from);
    if (isStepOver(progress, VALUE_CHARS + (found?.[0].length ?? MAX_BACK))) yield;
  }
  parts.push(text.slice(kept));
  return parts.join('');
}

const BEGIN = new RegExp(String.raw`[\u001b\u009b]`, 'g');

function nextBegin(text: string, from: number): number {
  BEGIN.lastIndex = from;
  return BEGIN.exec(text)?.index ?? -1;
}

/** Parts that end with a line, or at least not within a character or a flag. */
function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = partEnd(text, at + STEP_CHARS);
    yield text.slice(at, end);
    at = end;
  }
}

function partEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const line = text.lastIndexOf('\n', wanted);
  if (line > wanted - MAX_BACK) return line + 1;
  let end = wanted;
  while (end > wanted - MAX_BACK && text.charCodeAt(end) > LAST_OF_ASCII) end -= 1;
  return end;
}
