import { asObject, type Unknown } from '../json/json.ts';
import { createPatterns, type Match, type Patterns } from './pattern/match-pattern.ts';

/** Path of the value, as the schema names it. */
export interface SchemaPlace {
  readonly above?: SchemaPlace;
  readonly name: string;
  readonly depth: number;
}

export interface Miss {
  readonly place: SchemaPlace;
  readonly problem: string;
}

/** State of one validation: the remaining budget, and what is already known about the schema. */
export interface SchemaCheck {
  readonly root: unknown;
  /** Remaining steps; a step is about the work of one small schema. */
  stepsLeft: number;
  readonly patterns: Patterns;
  /** The first pattern that could not be run, and how often that happened. */
  unchecked: Miss | undefined;
  uncheckedCount: number;
  /** Resolved references. */
  readonly places: Map<string, unknown>;
  readonly enums: Map<readonly unknown[], NamedValues>;
}

/** The values of an `enum`: primitives are looked up, others compared. */
interface NamedValues {
  readonly plain: ReadonlySet<unknown>;
  readonly others: readonly unknown[];
}

const MAX_STEPS = 200_000;
/** Small operations, such as checking one name, per step. */
const SMALL_THINGS = 10;

export function createRun(root: unknown): SchemaCheck {
  return {
    root,
    stepsLeft: MAX_STEPS,
    patterns: createPatterns(),
    unchecked: undefined,
    uncheckedCount: 0,
    places: new Map(),
    enums: new Map(),
  };
}

/** Charges small operations to the budget; false if it is used up. */
export function charge(run: SchemaCheck, things: number): boolean {
  run.stepsLeft -= things / SMALL_THINGS;
  return run.stepsLeft >= 0;
}

/** Matches a text at a place against a pattern. */
export function matchPattern(
  run: SchemaCheck,
  text: string,
  pattern: string,
  place: SchemaPlace,
): Match['is'] {
  const { match, steps } = run.patterns.match(text, pattern);
  run.stepsLeft -= steps;
  if (match.is === 'unchecked') {
    run.unchecked ??= { place, problem: match.because };
    run.uncheckedCount += 1;
  }
  return match.is;
}

export function namedValues(run: SchemaCheck, allowed: readonly unknown[]): NamedValues {
  const known = run.enums.get(allowed);
  if (known) return known;
  charge(run, allowed.length);
  const isPlain = (value: unknown) => typeof value !== 'object' || value === null;
  const named = {
    plain: new Set(allowed.filter(isPlain)),
    others: allowed.filter((value) => !isPlain(value)),
  };
  run.enums.set(allowed, named);
  return named;
}

/** Whether a `$ref` refers to a place within its schema. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && /^#(?:\/|$)/.test(value);
}

/** Whether a value can be a schema: an object, or a boolean. */
export function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || asObject(value) !== undefined;
}

/** Resolves a reference within the schema; undefined if it is dangling. */
export function resolveReference(run: SchemaCheck, reference: string): unknown {
  if (run.places.has(reference)) return run.places.get(reference);
  charge(run, reference.length);
  // Some programs write names as they are, others with percent signs, as in a URL.
  const target =
    valueAt(run.root, reference) ??
    (reference.includes('%') ? valueAt(run.root, decoded(reference)) : undefined);
  run.places.set(reference, target);
  return target;
}

function valueAt(root: unknown, reference: string): unknown {
  let target = root;
  for (const step of reference.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const holder = Array.isArray(target) ? (target as unknown as Unknown) : asObject(target);
    target = holder && Object.hasOwn(holder, name) ? holder[name] : undefined;
    if (target === undefined) return undefined;
  }
  return target;
}

/** Leaves a wrong escape as it is. */
function decoded(reference: string): string {
  return reference
    .split('/')
    .map((step) => {
      try {
        return decodeURIComponent(step).replaceAll('/', '~1');
      } catch {
        return step;
      }
    })
    .join('/');
}

/** The JSON Schema type of a value. */
export function jsonKindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function violatesText(
  text: string,
  rules: Unknown,
  place: SchemaPlace,
  run: SchemaCheck,
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

/** Characters count as this fraction of a small operation. */
const CHARS_AT_ONCE = 20;

/** Length in code points, counted no further than necessary. */
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

/** Tolerates binary fractions: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

export function violatesList(
  list: readonly unknown[],
  rules: Unknown,
  run: SchemaCheck,
): string | undefined {
  const { minItems: least, maxItems: most } = rules;
  if (typeof least === 'number' && list.length < least) return `must have ${least} items at least`;
  if (typeof most === 'number' && list.length > most) return `must have ${most} items at most`;
  if (rules['uniqueItems'] !== true || !charge(run, list.length)) return undefined;
  return hasTwins(list) ? 'must have no item twice' : undefined;
}

/** Objects are not compared, as that takes quadratic time. */
function hasTwins(list: readonly unknown[]): boolean {
  const plain = list.filter((item) => typeof item !== 'object' || item === null);
  return new Set(plain).size < plain.length;
}

const MAX_DEPTH = 100;

/** Whether two values are equal; false once the budget is used up. */
export function sameJson(a: unknown, b: unknown, run: SchemaCheck, depth = 0): boolean {
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
