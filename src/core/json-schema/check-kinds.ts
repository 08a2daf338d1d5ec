import { asObject, type Unknown } from '../json.ts';
import { charge, matchPattern, type Place, type Run } from './check-run.ts';

/** A value's kind as JSON Schema names it. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function violatesText(
  text: string,
  rules: Unknown,
  place: Place,
  run: Run,
): string | undefined {
  const { minLength: least, maxLength: most, pattern } = rules;
  if (typeof least === 'number' || typeof most === 'number')
    charge(run, text.length / CHARS_AT_ONCE);
  if (typeof least === 'number' && (text.length < least || characters(text, least) < least))
    return `must have ${least} characters at least`;
  if (typeof most === 'number' && text.length > most && characters(text, most + 1) > most)
    return `must have ${most} characters at most`;
  if (typeof pattern !== 'string' || run.stepsLeft < 0) return undefined;
  return matchPattern(run, text, pattern, place) === 'no' ? 'must match its pattern' : undefined;
}

/** Characters are counted that much faster than names are looked at. */
const CHARS_AT_ONCE = 20;

/** Counted as the schema counts them, and no further than it matters. */
function characters(text: string, enough: number): number {
  let count = 0;
  for (const _ of text) if (++count >= enough) break;
  return count;
}

export function violatesNumber(value: number, rules: Unknown): string | undefined {
  const { minimum, maximum, multipleOf: step } = rules;
  const { exclusiveMinimum: over, exclusiveMaximum: under } = rules;
  if (typeof minimum === 'number') {
    if (value < minimum) return `must be ${minimum} at least`;
    // The dialect of draft 4.
    if (over === true && value === minimum) return `must be more than ${minimum}`;
  }
  if (typeof maximum === 'number') {
    if (value > maximum) return `must be ${maximum} at most`;
    if (under === true && value === maximum) return `must be less than ${maximum}`;
  }
  if (typeof over === 'number' && value <= over) return `must be more than ${over}`;
  if (typeof under === 'number' && value >= under) return `must be less than ${under}`;
  if (typeof step === 'number' && step > 0 && !isMultiple(value, step))
    return `must be a multiple of ${step}`;
  return undefined;
}

/** 0.3 is a multiple of 0.1, whatever binary fractions say. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

export function violatesList(
  list: readonly unknown[],
  rules: Unknown,
  run: Run,
): string | undefined {
  const { minItems: least, maxItems: most } = rules;
  if (typeof least === 'number' && list.length < least) return `must have ${least} items at least`;
  if (typeof most === 'number' && list.length > most) return `must have ${most} items at most`;
  if (rules['uniqueItems'] !== true || !charge(run, list.length)) return undefined;
  return hasTwins(list) ? 'must have no item twice' : undefined;
}

/** Objects are not compared: that would take the square of their number. */
function hasTwins(list: readonly unknown[]): boolean {
  const plain = list.filter((item) => typeof item !== 'object' || item === null);
  return new Set(plain).size < plain.length;
}

const MAX_DEPTH = 100;

/** Whether two values are the same; said of none once the run has spent its steps. */
export function sameJson(a: unknown, b: unknown, run: Run, depth = 0): boolean {
  if (a === b) return true;
  if (depth > MAX_DEPTH || !charge(run, 1)) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => sameJson(item, b[at], run, depth + 1));
  const left = asObject(a);
  const right = asObject(b);
  if (!left || !right) return false;
  const names = Object.keys(left);
  if (!charge(run, names.length) || names.length !== Object.keys(right).length) return false;
  return names.every(
    (name) => Object.hasOwn(right, name) && sameJson(left[name], right[name], run, depth + 1),
  );
}
