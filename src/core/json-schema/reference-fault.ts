import { asList, asObject, type Unknown } from '../json/json.ts';
import {
  createRun,
  isReference,
  isSchema,
  resolveReference,
  type SchemaCheck,
} from './check-run.ts';

/** A check ends where references lead through more schemas than this. */
const MAX_REFERENCES = 100;
/** A schema that refers to so many for one value is taken for endless. */
const MAX_STEPS = 10_000;
/** After so many in all, no more endless ones are looked for, as requests of others wait meanwhile. */
const MAX_ALL_STEPS = 20_000;
/** Of a larger schema, only so many are looked at, for the same reason. */
const MAX_SCHEMAS = 10_000;

const SCHEMA_KEYWORDS = ['items', 'additionalItems', 'additionalProperties', 'not'];
const LIST_KEYWORDS = ['items', 'prefixItems', 'allOf', 'anyOf', 'oneOf'];
const NAMED_KEYWORDS = ['properties', 'patternProperties', '$defs', 'definitions'];

interface Place {
  readonly rules: Unknown;
  readonly name: string;
  readonly above: Place | undefined;
  /** Whether the schema, or one around it below the root, has an `$id`, to which `#` then refers. */
  readonly isEmbedded: boolean;
}

/** What is wrong with the references of a schema, and where, such as `.properties.next`. */
export interface ReferenceFault {
  /**
   * `endless`: no value can be checked, because the schema refers to itself for the same value: by
   * `$ref`, or by a schema that it combines. `dangling`: a local reference leads to no schema.
   */
  readonly is: 'endless' | 'dangling';
  readonly path: string;
}

/** Finds a schema that is endless, or a local reference that leads nowhere. */
export function referenceFaultIn(schema: unknown): ReferenceFault | undefined {
  const run = createRun(schema);
  const ending = new Set<Unknown>();
  const seen = new Set<Unknown>();
  const places: Place[] = [];
  let left = MAX_SCHEMAS;
  let stepsLeft = MAX_ALL_STEPS;
  const open = (found: unknown, name: string, above?: Place) => {
    const rules = left > 0 ? asObject(found) : undefined;
    if (!rules) return;
    left -= 1;
    const isEmbedded =
      above !== undefined && (above.isEmbedded || typeof rules['$id'] === 'string');
    places.push({ rules, name, above, isEmbedded });
  };
  open(schema, '');
  for (let place = places.pop(); place; place = places.pop()) {
    const { rules } = place;
    if (seen.has(rules)) continue;
    seen.add(rules);
    run.stepsLeft = MAX_STEPS;
    if (stepsLeft > 0 && isEndless(rules, run, { ending, depth: 0 }))
      return { is: 'endless', path: pathOf(place) };
    stepsLeft -= MAX_STEPS - run.stepsLeft;
    const reference = rules['$ref'];
    if (isReference(reference) && !place.isEmbedded) {
      if (!isSchema(resolveReference(run, reference)))
        return { is: 'dangling', path: `${pathOf(place)}.$ref` };
    }
    for (const keyword of SCHEMA_KEYWORDS) open(rules[keyword], `.${keyword}`, place);
    for (const keyword of LIST_KEYWORDS)
      for (const [index, each] of asList(rules[keyword]).entries())
        open(each, `.${keyword}.${index}`, place);
    for (const keyword of NAMED_KEYWORDS)
      for (const [name, each] of Object.entries(asObject(rules[keyword]) ?? {}))
        open(each, `.${keyword}.${name}`, place);
  }
  return undefined;
}

function pathOf(place: Place): string {
  let path = '';
  for (let at: Place | undefined = place; at; at = at.above) path = at.name + path;
  return path;
}

/** Whether the check of any value against a schema comes back to the same schema. */
function isEndless(
  schema: unknown,
  run: SchemaCheck,
  { ending, depth }: { readonly ending: Set<Unknown>; readonly depth: number },
): boolean {
  const rules = asObject(schema);
  if (!rules || ending.has(rules)) return false;
  run.stepsLeft -= 1;
  if (depth > MAX_REFERENCES || run.stepsLeft < 0) return true;
  const isInner = (each: unknown) => isEndless(each, run, { ending, depth: depth + 1 });
  const { $ref: reference, allOf, anyOf, oneOf } = rules;
  const is =
    (isReference(reference) && isInner(resolveReference(run, reference))) ||
    asList(allOf).some(isInner) ||
    // One alternative that ends is enough.
    [anyOf, oneOf].some((all) => asList(all).length > 0 && asList(all).every(isInner));
  if (!is) ending.add(rules);
  return is;
}
