import { isAnyArrayBuffer, isBoxedPrimitive, isNativeError } from 'node:util/types';
import { createBoundedMap } from '#core/bounded-map.ts';
import type { Json } from '#core/json/json.ts';
import { hidingOf, MASK, MAX_NAME, type Hiding } from '#core/secrets/secret-names.ts';

/** How keys are classified and texts masked. */
interface SanitizeRules extends Masking {
  readonly classifyKey: ClassifyKey;
}

/** The state of one copy. Its remaining budget bounds size and time for any value. */
interface SanitizeState {
  readonly rules: SanitizeRules;
  readonly ancestors: object[];
  valuesLeft: number;
  charsLeft: number;
}

const MAX_DEPTH = 24;
const MAX_WIDTH = 1000;
const MAX_VALUES = 10_000;
const MAX_CHARS = 262_144;
const MAX_INTEGER = 10n ** 40n;
const UNREADABLE = '[unreadable]';

// Keys of objects that hold a name and its value, as in headers, form fields and cloud APIs.
const PAIR_NAMES = ['name', 'Name', 'key', 'Key', 'header', 'Header'];
const PAIR_VALUES = new Set(['value', 'Value', 'values', 'Values', 'val', 'Val']);

/** Copies any value into JSON data. Never throws; omitted parts are replaced by a marker. */
export function sanitize(value: unknown, rules: SanitizeRules): Json {
  const copy = { rules, ancestors: [], valuesLeft: MAX_VALUES, charsLeft: MAX_CHARS };
  return copyOf(value, 'nothing', copy) ?? null;
}

function copyOf(value: unknown, hiding: Hiding, copy: SanitizeState): Json | undefined {
  copy.valuesLeft--;
  switch (typeof value) {
    case 'string':
      return hiding === 'nothing' || value === '' ? boundedText(value, copy) : MASK;
    case 'number':
      if (hiding === 'all') return MASK;
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      if (hiding === 'all') return MASK;
      return value < MAX_INTEGER && value > -MAX_INTEGER ? String(value) : '[very large integer]';
    case 'boolean':
    case 'undefined':
      return value;
    case 'function':
      return '[function]';
    case 'symbol':
      return boundedText(String(value), copy);
    case 'object':
      return value === null ? null : copyOfObject(value, hiding, copy);
  }
}

function copyOfObject(value: object, hiding: Hiding, copy: SanitizeState): Json | undefined {
  if (copy.ancestors.includes(value)) return '[circular]';
  if (copy.ancestors.length === MAX_DEPTH) return `[more than ${MAX_DEPTH} levels deep]`;
  copy.ancestors.push(value);
  try {
    return contents(value, hiding, copy);
  } catch {
    // A getter, proxy or toJSON of the value threw; the rest of the line is still written.
    return UNREADABLE;
  } finally {
    copy.ancestors.pop();
  }
}

function contents(value: object, hiding: Hiding, copy: SanitizeState): Json | undefined {
  if (Array.isArray(value)) return list(value, value.length, hiding, copy);
  if (isNativeError(value) || value instanceof Error) {
    return record(errorKeys(value), (key) => Reflect.get(value, key), hiding, copy);
  }
  if (ArrayBuffer.isView(value) || isAnyArrayBuffer(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return ofMap(value, hiding, copy);
  if (value instanceof Set) return list(firstOf(value), value.size, hiding, copy);
  if (isBoxedPrimitive(value)) return copyOf(value.valueOf(), hiding, copy);
  if (value instanceof RegExp) return copyOf(String(value), hiding, copy);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON('');
    if (json !== value) return copyOf(json, hiding, copy);
  }
  return record(Object.keys(value), (key) => Reflect.get(value, key), hiding, copy);
}

function record(
  keys: readonly string[],
  read: (key: string) => unknown,
  hiding: Hiding,
  copy: SanitizeState,
  total = keys.length,
): Json {
  const out: Record<string, Json> = {};
  let taken = 0;
  for (const key of keys) {
    if (taken === MAX_WIDTH || isSpent(copy)) {
      out['…'] = `[${total - taken} more]`;
      break;
    }
    taken++;
    const { shown, hiding: byName } = copy.rules.classifyKey(key);
    copy.charsLeft -= shown.length;
    const byPair = PAIR_VALUES.has(key) ? pairHiding(read, copy) : 'nothing';
    const item = copyOf(readSafely(read, key), stronger(hiding, stronger(byName, byPair)), copy);
    if (item !== undefined) put(out, shown, item);
  }
  return out;
}

function isSpent({ valuesLeft, charsLeft }: SanitizeState): boolean {
  return valuesLeft <= 0 || charsLeft <= 0;
}

function list(items: readonly unknown[], total: number, hiding: Hiding, copy: SanitizeState): Json {
  const out: Json[] = [];
  for (let index = 0; index < total; index++) {
    if (index === MAX_WIDTH || isSpent(copy)) {
      out.push(`[${total - index} more]`);
      break;
    }
    const byName = pairedHiding(items, index, total, copy);
    out.push(copyOf(items[index], stronger(hiding, byName), copy) ?? null);
  }
  return out;
}

/**
 * Detects names in lists: headers as `[name, value, …]` or `[[name, value], …]`, and command lines
 * as `[…, '--name', value]`.
 */
function pairedHiding(
  items: readonly unknown[],
  index: number,
  total: number,
  copy: SanitizeState,
): Hiding {
  const name = index > 0 ? items[index - 1] : undefined;
  if (typeof name !== 'string') return 'nothing';
  const isValue = index % 2 === 1 && total % 2 === 0;
  return isValue || name.startsWith('-') ? copy.rules.classifyKey(name).hiding : 'nothing';
}

/** Detects names in pairs: `{ name: 'authorization', value: … }`. */
function pairHiding(read: (key: string) => unknown, copy: SanitizeState): Hiding {
  return PAIR_NAMES.map((key) => readSafely(read, key))
    .filter((name) => typeof name === 'string')
    .map((name) => copy.rules.classifyKey(name).hiding)
    .reduce(stronger, 'nothing');
}

function ofMap(map: Map<unknown, unknown>, hiding: Hiding, copy: SanitizeState): Json {
  const keys = firstOf(map.keys());
  if (keys.every((key) => typeof key === 'string')) {
    return record(keys, (key) => map.get(key), hiding, copy, map.size);
  }
  return list(firstOf(map), map.size, hiding, copy);
}

function errorKeys(error: Error): string[] {
  const standard = ['name', 'message', 'stack', 'cause', 'errors'];
  const own = Object.keys(error).filter(
    (key) => !standard.includes(key) && !isEmptyList(error, key),
  );
  return ['name', 'message', ...own, 'stack', 'cause', 'errors'];
}

/**
 * Whether a field is an empty list, as `fixes` of most errors. Uses the descriptor, because reading
 * may throw.
 */
function isEmptyList(error: Error, key: string): boolean {
  const value: unknown = Object.getOwnPropertyDescriptor(error, key)?.value;
  return Array.isArray(value) && value.length === 0;
}

function firstOf(items: Iterable<unknown>): unknown[] {
  const first: unknown[] = [];
  for (const item of items) if (first.push(item) > MAX_WIDTH) break;
  return first;
}

function readSafely(read: (key: string) => unknown, key: string): unknown {
  try {
    return read(key);
  } catch {
    return UNREADABLE;
  }
}

function put(out: Record<string, Json>, key: string, item: Json): void {
  // Assigning to __proto__ would change the prototype of `out`.
  if (key === '__proto__') Object.defineProperty(out, key, { value: item, enumerable: true });
  else out[key] = item;
}

function stronger(a: Hiding, b: Hiding): Hiding {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'texts' ? a : b;
}

interface Masking {
  readonly mask: (text: string) => string;
  /** Characters at the end of a truncated text that may be part of a secret. */
  readonly overlap: number;
}

const MAX_TEXT = 16_384;

/** Masks and truncates a text within the budget. */
function boundedText(text: string, copy: SanitizeState): string {
  const room = Math.min(MAX_TEXT, Math.max(0, copy.charsLeft));
  // The characters read are counted, not the result, because masking them costs time.
  copy.charsLeft -= Math.min(text.length, room);
  return maskedWithin(text, room, copy.rules, `… [${text.length - room} more characters]`);
}

/**
 * The masked text, truncated to `room` and followed by the mark. A secret at the cut is not shown
 * in part.
 */
function maskedWithin(
  text: string,
  room: number,
  { mask, overlap }: Masking,
  mark: string,
): string {
  if (text.length <= room) return mask(text);
  const isWhole = text.length <= room + overlap;
  const masked = mask(isWhole ? text : text.slice(0, room + overlap));
  const kept = Math.min(room, isWhole ? masked.length : masked.length - overlap);
  return isWhole && kept === masked.length ? masked : masked.slice(0, Math.max(0, kept)) + mark;
}

/** A key as it may be shown, and what to hide of its value. */
interface KeyClass {
  readonly shown: string;
  readonly hiding: Hiding;
}

type ClassifyKey = (name: string) => KeyClass;

const MAX_REMEMBERED = 2000;

/**
 * Creates a classifier of keys with a cache, because the same keys are in every line. Only the ends
 * of a long key are read.
 */
export function createKeyClassifier(masking: Masking): ClassifyKey {
  const known = createBoundedMap<string, KeyClass>({ maxEntries: MAX_REMEMBERED });
  return (name) => {
    const before = name.length > MAX_NAME ? undefined : known.get(name);
    if (before) return before;
    const verdict = { shown: maskedWithin(name, MAX_NAME, masking, '…'), hiding: hidingOf(name) };
    if (name.length > MAX_NAME) return verdict;
    known.set(name, verdict);
    return verdict;
  };
}
