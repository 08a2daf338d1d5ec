import { kindOf, sameJson, violatesList, violatesNumber, violatesText } from './schema-kinds.ts';
import { matchesPattern } from './schema-pattern.ts';
import { asList, asObject, type Unknown } from './json-read.ts';

/** Where a value breaks its schema, and how. Nothing of the value is in it. */
export interface Violation {
  /** Such as `/items/2/price`; names that the schema does not have are `*`. */
  readonly path: string;
  /** Goes on from the path: `must be a number`. */
  readonly problem: string;
}

interface Place {
  readonly above?: Place;
  readonly name: string;
  readonly depth: number;
}

interface Miss {
  readonly place: Place;
  readonly problem: string;
}

interface Run {
  readonly root: unknown;
  stepsLeft: number;
}

const MAX_DEPTH = 200;
const MAX_STEPS = 300_000;

/**
 * The first place at which a value breaks a JSON Schema. Total: whatever schema and value are, it ends soon and never throws. Keywords
 * that it does not know (`format`, `if`, `contains`, `unevaluatedProperties`) and references to elsewhere allow everything.
 */
export function findViolation(value: unknown, schema: unknown): Violation | undefined {
  const run: Run = { root: schema, stepsLeft: MAX_STEPS };
  const miss = check(value, schema, { name: '', depth: 0 }, run);
  return miss && { path: pathOf(miss.place), problem: miss.problem };
}

function check(value: unknown, schema: unknown, place: Place, run: Run): Miss | undefined {
  run.stepsLeft -= 1;
  if (run.stepsLeft < 0) return { place, problem: 'is too large to be checked' };
  if (place.depth > MAX_DEPTH) return { place, problem: 'is nested too deeply' };
  if (schema === false) return { place, problem: 'must not be there' };
  const rules = asObject(schema);
  if (!rules || (rules['nullable'] === true && value === null)) return undefined;
  return (
    checkReference(value, rules, place, run) ??
    checkItself(value, rules, place) ??
    checkMembers(value, rules, place, run) ??
    checkItems(value, rules, place, run) ??
    checkCombined(value, rules, place, run)
  );
}

function checkReference(value: unknown, rules: Unknown, place: Place, run: Run): Miss | undefined {
  const reference = rules['$ref'];
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
  let target: unknown = run.root;
  for (const step of reference.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const holder = Array.isArray(target) ? (target as unknown as Unknown) : asObject(target);
    target = holder && Object.hasOwn(holder, name) ? holder[name] : undefined;
  }
  // A reference takes a step down, so that one to itself ends.
  return check(value, target, { ...place, depth: place.depth + 1 }, run);
}

function checkItself(value: unknown, rules: Unknown, place: Place): Miss | undefined {
  const problem =
    violatesKind(value, rules) ??
    (typeof value === 'string' ? violatesText(value, rules) : undefined) ??
    (typeof value === 'number' ? violatesNumber(value, rules) : undefined) ??
    (Array.isArray(value) ? violatesList(value, rules) : undefined);
  return problem === undefined ? undefined : { place, problem };
}

function violatesKind(value: unknown, rules: Unknown): string | undefined {
  const types = typeof rules['type'] === 'string' ? [rules['type']] : asList(rules['type']);
  const fits = types.length === 0 || types.some((type) => isOf(value, type));
  if (!fits) return `must be ${types.map(String).join(' or ').slice(0, 80)}`;
  if ('const' in rules && !sameJson(value, rules['const'])) return 'must be the one value allowed';
  const allowed = rules['enum'];
  if (Array.isArray(allowed) && !allowed.some((each) => sameJson(value, each)))
    return `must be one of the ${allowed.length} values allowed`;
  return undefined;
}

function isOf(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return kindOf(value) === type;
}

function checkMembers(value: unknown, rules: Unknown, place: Place, run: Run): Miss | undefined {
  const object = asObject(value);
  if (!object) return undefined;
  for (const name of asList(rules['required']))
    if (typeof name === 'string' && !Object.hasOwn(object, name))
      return { place, problem: `must have "${name.slice(0, 80)}"` };
  const names = Object.keys(object);
  const { minProperties: least, maxProperties: most } = rules;
  if (typeof least === 'number' && names.length < least)
    return { place, problem: `must have ${least} members at least` };
  if (typeof most === 'number' && names.length > most)
    return { place, problem: `must have ${most} members at most` };
  const known = asObject(rules['properties']);
  const byPattern = Object.entries(asObject(rules['patternProperties']) ?? {});
  const others = rules['additionalProperties'];
  for (const name of names) {
    const isKnown = known !== undefined && Object.hasOwn(known, name);
    const here = { above: place, name: isKnown ? name : '*', depth: place.depth + 1 };
    const meant = byPattern.filter(([pattern]) => matchesPattern(name, pattern) !== 'no');
    if (!isKnown && meant.length === 0 && others === false)
      return { place, problem: 'must have no members beside those that the schema names' };
    const schemas = [
      ...(isKnown ? [known[name]] : []),
      // A pattern that cannot be checked asks for nothing.
      ...meant
        .filter(([pattern]) => matchesPattern(name, pattern) === 'yes')
        .map(([, rule]) => rule),
      ...(!isKnown && meant.length === 0 && others !== undefined ? [others] : []),
    ];
    for (const each of schemas) {
      const miss = check(object[name], each, here, run);
      if (miss) return miss;
    }
  }
  return undefined;
}

function checkItems(value: unknown, rules: Unknown, place: Place, run: Run): Miss | undefined {
  if (!Array.isArray(value)) return undefined;
  const isTuple = Array.isArray(rules['items']);
  const first = asList(isTuple ? rules['items'] : rules['prefixItems']);
  const rest = isTuple ? rules['additionalItems'] : rules['items'];
  for (const [index, item] of value.entries()) {
    const schema = index < first.length ? first[index] : rest;
    if (schema === undefined || schema === true) continue;
    const here = { above: place, name: String(index), depth: place.depth + 1 };
    const miss = check(item, schema, here, run);
    if (miss) return miss;
  }
  return undefined;
}

function checkCombined(value: unknown, rules: Unknown, place: Place, run: Run): Miss | undefined {
  const inner = { ...place, depth: place.depth + 1 };
  const tried = (schema: unknown) => check(value, schema, inner, run);
  for (const schema of asList(rules['allOf'])) {
    const miss = tried(schema);
    if (miss) return miss;
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = asList(rules[keyword]);
    if (options.length === 0) continue;
    const misses: Miss[] = [];
    for (const schema of options) {
      const miss = tried(schema);
      if (miss) misses.push(miss);
      else if (keyword === 'anyOf') break;
    }
    const fitting = options.length - misses.length;
    if (misses.length === options.length) return nearestMiss(misses, place);
    if (keyword === 'oneOf' && fitting > 1)
      return { place, problem: 'must fit one of the alternatives only' };
  }
  if (rules['not'] !== undefined && asObject(rules['not']) && !tried(rules['not']))
    return { place, problem: 'must not fit what the schema excludes' };
  return undefined;
}

/** Of the alternatives, the one that went furthest was most likely meant. */
function nearestMiss(misses: readonly Miss[], place: Place): Miss {
  const [only] = misses;
  if (only && misses.length === 1) return only;
  const [deepest, second] = misses.toSorted((a, b) => depthOf(b) - depthOf(a));
  if (deepest && second && depthOf(deepest) > depthOf(second)) return deepest;
  return { place, problem: `must fit one of ${misses.length} alternatives` };
}

function depthOf({ place }: Miss): number {
  let depth = 0;
  for (let at: Place | undefined = place; at.above; at = at.above) depth += 1;
  return depth;
}

function pathOf(place: Place): string {
  const names: string[] = [];
  for (let at: Place | undefined = place; at.above; at = at.above)
    names.unshift(at.name.slice(0, 80));
  return `/${names.join('/')}`;
}
