import { asObject, type Unknown } from './json-read.ts';
import { createPatterns, type Patterns } from './schema-pattern.ts';

/** One look at a value: what may still be done for it, and what was found out about its schema already. */
export interface Run {
  readonly root: unknown;
  /** A step is about as much work as one small schema is. */
  stepsLeft: number;
  readonly patterns: Patterns;
  /** Where references lead. */
  readonly places: Map<string, unknown>;
  readonly enums: Map<readonly unknown[], NamedValues>;
}

/** The values that an `enum` names: plain ones are looked up, the others compared. */
export interface NamedValues {
  readonly plain: ReadonlySet<unknown>;
  readonly others: readonly unknown[];
}

const MAX_STEPS = 300_000;
/** Small things, such as the look at one name, of which so many make a step. */
const SMALL_THINGS = 10;

export function createRun(root: unknown): Run {
  return {
    root,
    stepsLeft: MAX_STEPS,
    patterns: createPatterns(),
    places: new Map(),
    enums: new Map(),
  };
}

/** Whether so many small things may still be done. */
export function charge(run: Run, things: number): boolean {
  run.stepsLeft -= things / SMALL_THINGS;
  return run.stepsLeft >= 0;
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
