import {
  charge,
  createRun,
  isReference,
  jsonKindOf,
  matchPattern,
  namedValues,
  resolveReference,
  sameJson,
  violatesList,
  violatesNumber,
  violatesText,
  type Miss,
  type SchemaCheck,
  type SchemaPlace,
} from './check-run.ts';
import { asList, asObject, type Unknown } from '../json/json.ts';

/**
 * Where and how a value violates its schema, or what could not be checked. Contains nothing of the
 * value.
 */
export interface Violation {
  /** Such as `/items/2/price`; names that the schema does not have are `*`. */
  readonly path: string;
  /** Completes a sentence after the path: `must be a number`. */
  readonly problem: string;
}

export interface Examined {
  /** The first one. */
  readonly violation: Violation | undefined;
  /** The first pattern that could not be run. */
  readonly unchecked: Violation | undefined;
}

const MAX_DEPTH = 200;
const MAX_SHOWN_TYPES = 8;

/**
 * Finds the first violation of a JSON Schema. It always ends soon and never throws, whatever the
 * schema and value. Unknown keywords (docs/gateway.md lists them), patterns that cannot be run and
 * references to other documents allow everything. All checked values share one budget.
 */
export function createExaminer(schema: unknown): (value: unknown) => Examined {
  const run = createRun(schema);
  return (value) => {
    run.unchecked = undefined;
    const found = check(value, schema, START, run);
    // An incomplete check is neither valid nor invalid.
    const miss = run.stepsLeft < 0 ? { place: START, problem: TOO_LARGE } : found;
    return { violation: shown(miss), unchecked: shown(run.unchecked) };
  };
}

const START: SchemaPlace = { name: '', depth: 0 };

function shown(miss: Miss | undefined): Violation | undefined {
  return miss && { path: pathOf(miss.place), problem: miss.problem };
}

const TOO_LARGE = 'is too large to be checked';

function check(
  value: unknown,
  schema: unknown,
  place: SchemaPlace,
  run: SchemaCheck,
): Miss | undefined {
  run.stepsLeft -= 1;
  if (run.stepsLeft < 0) return { place, problem: TOO_LARGE };
  if (place.depth > MAX_DEPTH) return { place, problem: 'is nested too deeply' };
  if (schema === false) return { place, problem: 'must not be there' };
  const rules = asObject(schema);
  if (!rules || (rules['nullable'] === true && value === null)) return undefined;
  return (
    checkReference(value, rules, place, run) ??
    checkItself(value, rules, place, run) ??
    checkMembers(value, rules, place, run) ??
    checkItems(value, rules, place, run) ??
    checkCombined(value, rules, place, run)
  );
}

function checkReference(
  value: unknown,
  rules: Unknown,
  place: SchemaPlace,
  run: SchemaCheck,
): Miss | undefined {
  const reference = rules['$ref'];
  if (!isReference(reference)) return undefined;
  // References increase the depth, so that circular ones end.
  return check(value, resolveReference(run, reference), { ...place, depth: place.depth + 1 }, run);
}

function checkItself(
  value: unknown,
  rules: Unknown,
  place: SchemaPlace,
  run: SchemaCheck,
): Miss | undefined {
  const problem =
    violatesKind(value, rules, run) ??
    (typeof value === 'string' ? violatesText(value, rules, place, run) : undefined) ??
    (typeof value === 'number' ? violatesNumber(value, rules) : undefined) ??
    (Array.isArray(value) ? violatesList(value, rules, run) : undefined);
  return problem === undefined ? undefined : { place, problem };
}

function violatesKind(value: unknown, rules: Unknown, run: SchemaCheck): string | undefined {
  const given = typeof rules['type'] === 'string' ? [rules['type']] : asList(rules['type']);
  if (!charge(run, given.length)) return undefined;
  const types = given.filter((type) => typeof type === 'string');
  if (types.length > 0 && !types.some((type) => isOf(value, type)))
    return `must be ${types.slice(0, MAX_SHOWN_TYPES).join(' or ').slice(0, 80)}`;
  if (Object.hasOwn(rules, 'const') && !sameJson(value, rules['const'], run))
    return 'must be the one value allowed';
  const allowed = rules['enum'];
  if (!Array.isArray(allowed)) return undefined;
  const { plain, others } = namedValues(run, allowed);
  const isPlain = typeof value !== 'object' || value === null;
  const isNamed = isPlain
    ? plain.has(value)
    : others.some((each) => run.stepsLeft >= 0 && sameJson(value, each, run));
  return isNamed ? undefined : `must be one of the ${allowed.length} values allowed`;
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return jsonKindOf(value) === type;
}

function checkMembers(
  value: unknown,
  rules: Unknown,
  place: SchemaPlace,
  run: SchemaCheck,
): Miss | undefined {
  const object = asObject(value);
  if (!object) return undefined;
  const required = asList(rules['required']);
  const names = Object.keys(object);
  const known = asObject(rules['properties']);
  const byPattern = Object.entries(asObject(rules['patternProperties']) ?? {});
  if (!charge(run, required.length + names.length + byPattern.length)) return undefined;
  for (const name of required)
    if (typeof name === 'string' && !Object.hasOwn(object, name))
      return { place, problem: `must have "${name.slice(0, 80)}"` };
  const { minProperties: least, maxProperties: most } = rules;
  if (typeof least === 'number' && names.length < least)
    return { place, problem: `must have ${least} members at least` };
  if (typeof most === 'number' && names.length > most)
    return { place, problem: `must have ${most} members at most` };
  const others = rules['additionalProperties'];
  for (const name of names) {
    const isKnown = known !== undefined && Object.hasOwn(known, name);
    const here = { above: place, name: isKnown ? name : '*', depth: place.depth + 1 };
    const meant = byPattern.flatMap(([pattern, rule]) => {
      if (run.stepsLeft < 0) return [];
      const is = matchPattern(run, name, pattern, place);
      return is === 'no' ? [] : [{ is, rule }];
    });
    if (run.stepsLeft < 0) return undefined;
    if (!isKnown && meant.length === 0 && others === false)
      return { place, problem: 'must have no members beside those that the schema names' };
    const schemas = [
      ...(isKnown ? [known[name]] : []),
      // A pattern that cannot be checked allows everything.
      ...meant.flatMap(({ is, rule }) => (is === 'yes' ? [rule] : [])),
      ...(!isKnown && meant.length === 0 && others !== undefined ? [others] : []),
    ];
    for (const each of schemas) {
      const miss = check(object[name], each, here, run);
      if (miss) return miss;
    }
  }
  return undefined;
}

function checkItems(
  value: unknown,
  rules: Unknown,
  place: SchemaPlace,
  run: SchemaCheck,
): Miss | undefined {
  if (!Array.isArray(value)) return undefined;
  const isTuple = Array.isArray(rules['items']);
  const first = asList(isTuple ? rules['items'] : rules['prefixItems']);
  const rest = isTuple ? rules['additionalItems'] : rules['items'];
  // Members without a schema are skipped.
  const isRestOpen = rest === undefined || rest === true;
  const looked = isRestOpen ? value.slice(0, first.length) : value;
  if (!charge(run, looked.length)) return undefined;
  for (const [index, item] of looked.entries()) {
    const schema = index < first.length ? first[index] : rest;
    if (schema === undefined || schema === true) continue;
    const here = { above: place, name: String(index), depth: place.depth + 1 };
    const miss = check(item, schema, here, run);
    if (miss) return miss;
  }
  return undefined;
}

function checkCombined(
  value: unknown,
  rules: Unknown,
  place: SchemaPlace,
  run: SchemaCheck,
): Miss | undefined {
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
    const { uncheckedCount } = run;
    for (const schema of options) {
      const miss = tried(schema);
      if (miss) misses.push(miss);
      else if (keyword === 'anyOf') break;
    }
    const fitting = options.length - misses.length;
    if (misses.length === options.length) return nearestMiss(misses, place);
    if (keyword === 'oneOf' && fitting > 1 && run.uncheckedCount === uncheckedCount)
      return { place, problem: 'must fit one of the alternatives only' };
  }
  if (!asObject(rules['not'])) return undefined;
  const { uncheckedCount } = run;
  // A match that was not fully checked may be wrong.
  if (tried(rules['not']) || run.uncheckedCount > uncheckedCount) return undefined;
  return { place, problem: 'must not fit what the schema excludes' };
}

/** The alternative that matched furthest was most likely intended. */
function nearestMiss(misses: readonly Miss[], place: SchemaPlace): Miss {
  const [only] = misses;
  if (only && misses.length === 1) return only;
  let deepest: { readonly miss: Miss; readonly depth: number } | undefined;
  let isShared = false;
  for (const miss of misses) {
    const depth = depthOf(miss);
    isShared = depth === deepest?.depth || (isShared && depth < (deepest?.depth ?? 0));
    if (!deepest || depth > deepest.depth) deepest = { miss, depth };
  }
  if (deepest && !isShared) return deepest.miss;
  return { place, problem: `must fit one of ${misses.length} alternatives` };
}

function depthOf({ place }: Miss): number {
  let depth = 0;
  for (let at: SchemaPlace | undefined = place; at.above; at = at.above) depth += 1;
  return depth;
}

function pathOf(place: SchemaPlace): string {
  const names: string[] = [];
  for (let at: SchemaPlace | undefined = place; at.above; at = at.above)
    names.unshift(at.name.slice(0, 80));
  return `/${names.join('/')}`;
}
