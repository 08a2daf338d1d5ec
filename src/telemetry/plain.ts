import { isAnyArrayBuffer, isBoxedPrimitive, isNativeError } from 'node:util/types';
import type { Json } from '#core/json.ts';
import { MASK, type Hiding } from '#core/secret-names.ts';
import { boundedText, type Masking } from './bounded-text.ts';
import type { JudgeName } from './judge-name.ts';

/** What the copy asks about names and texts. */
export interface PlainRules extends Masking {
  readonly judge: JudgeName;
}

/** A copy under way. What it may still take bounds its size and time, however the value is built. */
export interface Copy {
  readonly rules: PlainRules;
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

// How name and value stand apart in one object, as in headers, form fields and cloud APIs.
const PAIR_NAMES = ['name', 'Name', 'key', 'Key', 'header', 'Header'];
const PAIR_VALUES = new Set(['value', 'Value', 'values', 'Values', 'val', 'Val']);

/** Copies anything at all into JSON data. Never throws; whatever is left out leaves a marker that says so. */
export function toPlain(value: unknown, rules: PlainRules): Json {
  const copy = { rules, ancestors: [], valuesLeft: MAX_VALUES, charsLeft: MAX_CHARS };
  return copyOf(value, 'nothing', copy) ?? null;
}

function copyOf(value: unknown, hiding: Hiding, copy: Copy): Json | undefined {
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

function copyOfObject(value: object, hiding: Hiding, copy: Copy): Json | undefined {
  if (copy.ancestors.includes(value)) return '[circular]';
  if (copy.ancestors.length === MAX_DEPTH) return `[more than ${MAX_DEPTH} levels deep]`;
  copy.ancestors.push(value);
  try {
    return contents(value, hiding, copy);
  } catch {
    // A getter, proxy or toJSON of the value's own threw; the line is worth more than the value.
    return UNREADABLE;
  } finally {
    copy.ancestors.pop();
  }
}

function contents(value: object, hiding: Hiding, copy: Copy): Json | undefined {
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
  copy: Copy,
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
    const { shown, hiding: byName } = copy.rules.judge(key);
    copy.charsLeft -= shown.length;
    const byPair = PAIR_VALUES.has(key) ? pairHiding(read, copy) : 'nothing';
    const item = copyOf(readSafely(read, key), stronger(hiding, stronger(byName, byPair)), copy);
    if (item !== undefined) put(out, shown, item);
  }
  return out;
}

function isSpent({ valuesLeft, charsLeft }: Copy): boolean {
  return valuesLeft <= 0 || charsLeft <= 0;
}

function list(items: readonly unknown[], total: number, hiding: Hiding, copy: Copy): Json {
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

/** Headers as `[name, value, …]` or `[[name, value], …]`, and command lines as `[…, '--name', value]`. */
function pairedHiding(items: readonly unknown[], index: number, total: number, copy: Copy): Hiding {
  const name = index > 0 ? items[index - 1] : undefined;
  if (typeof name !== 'string') return 'nothing';
  const isValue = index % 2 === 1 && total % 2 === 0;
  return isValue || name.startsWith('-') ? copy.rules.judge(name).hiding : 'nothing';
}

/** `{ name: 'authorization', value: … }` */
function pairHiding(read: (key: string) => unknown, copy: Copy): Hiding {
  return PAIR_NAMES.map((key) => readSafely(read, key))
    .filter((name) => typeof name === 'string')
    .map((name) => copy.rules.judge(name).hiding)
    .reduce(stronger, 'nothing');
}

function ofMap(map: Map<unknown, unknown>, hiding: Hiding, copy: Copy): Json {
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

/** Most errors have no fixes. Asks for the descriptor, as reading may throw. */
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
  // Assigning to __proto__ would change what `out` is.
  if (key === '__proto__') Object.defineProperty(out, key, { value: item, enumerable: true });
  else out[key] = item;
}

function stronger(a: Hiding, b: Hiding): Hiding {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'texts' ? a : b;
}
