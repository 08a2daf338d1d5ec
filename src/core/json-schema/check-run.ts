import { asObject, type Unknown } from '../json.ts';
import { createPatterns, type Match, type Patterns } from './pattern/match-pattern.ts';

/** Of the value, as the schema names it. */
export interface Place {
  readonly above?: Place;
  readonly name: string;
  readonly depth: number;
}

export interface Miss {
  readonly place: Place;
  readonly problem: string;
}

/** One look at a value: what may still be done for it, and what was found out about its schema already. */
export interface Run {
  readonly root: unknown;
  /** A step is about as much work as one small schema is. */
  stepsLeft: number;
  readonly patterns: Patterns;
  /** The first pattern that could not be run, and how many times one could not. */
  unchecked: Miss | undefined;
  uncheckedCount: number;
  /** Where references lead. */
  readonly places: Map<string, unknown>;
  readonly enums: Map<readonly unknown[], NamedValues>;
}

/** The values that an `enum` names: plain ones are looked up, the others compared. */
export interface NamedValues {
  readonly plain: ReadonlySet<unknown>;
  readonly others: readonly unknown[];
}

const MAX_STEPS = 200_000;
/** Small things, such as the look at one name, of which so many make a step. */
const SMALL_THINGS = 10;

export function createRun(root: unknown): Run {
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

/** Whether so many small things may still be done. */
export function charge(run: Run, things: number): boolean {
  run.stepsLeft -= things / SMALL_THINGS;
  return run.stepsLeft >= 0;
}

/** What a pattern says of a text that stands at a place. */
export function matchPattern(run: Run, text: string, pattern: string, place: Place): Match['is'] {
  const { match, steps } = run.patterns.match(text, pattern);
  run.stepsLeft -= steps;
  if (match.is === 'unchecked') {
    run.unchecked ??= { place, problem: match.because };
    run.uncheckedCount += 1;
  }
  return match.is;
}

export function namedValues(run: Run, allowed: readonly unknown[]): NamedValues {
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

/** What a reference into the schema leads to; nothing for one to nowhere. */
export function placeOf(run: Run, reference: string): unknown {
  if (run.places.has(reference)) return run.places.get(reference);
  charge(run, reference.length);
  let target: unknown = run.root;
  for (const step of reference.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const holder = Array.isArray(target) ? (target as unknown as Unknown) : asObject(target);
    target = holder && Object.hasOwn(holder, name) ? holder[name] : undefined;
  }
  run.places.set(reference, target);
  return target;
}
