import type { Json, JsonObject } from '#core/json/json.ts';

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];
const KEYWORDS = new Set(
  'type description title default enum anyOf $ref $defs properties required additionalProperties items prefixItems minItems maxItems minLength maxLength minimum maximum'.split(
    ' ',
  ),
);
const BESIDE_A_CHOICE = new Set(['anyOf', 'description', 'title', '$defs']);

/** The rules of Moonshot's flavour that a schema breaks, each with its place. */
export function problemsOf(schema: JsonObject): readonly string[] {
  const problems: string[] = [];
  if (schema['type'] !== 'object') problems.push('root: type must be object');

  function look(node: Json | undefined, path: string): void {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) {
      problems.push(`${path}: no schema`);
      return;
    }
    const at = node as JsonObject;
    const say = (problem: string) => problems.push(`${path}: ${problem}`);
    for (const key of Object.keys(at)) if (!KEYWORDS.has(key)) say(`keyword ${key}`);
    if (at['$defs'] !== undefined && path !== 'root') say('$defs below the root');
    if (at['$ref'] !== undefined) {
      if (Object.keys(at).length > 1) say('something beside $ref');
      const name = /^#\/\$defs\/([\w.-]+)$/.exec(JSON.stringify(at['$ref']).slice(1, -1))?.[1];
      const defs = (schema['$defs'] ?? {}) as JsonObject;
      if (at['$ref'] !== '#' && (name === undefined || !Object.hasOwn(defs, name)))
        say('reference to nothing');
      return;
    }
    const { anyOf, type } = at;
    if (anyOf !== undefined) {
      for (const key of Object.keys(at)) if (!BESIDE_A_CHOICE.has(key)) say(`${key} beside anyOf`);
      if (!Array.isArray(anyOf) || anyOf.length < 1 || anyOf.length > 10) say('1 to 10 branches');
      else for (const [index, one] of anyOf.entries()) look(one as Json, `${path}.anyOf.${index}`);
    } else if (typeof type !== 'string' || !TYPES.includes(type)) say('type is not defined');
    const { enum: values, properties, required, items, additionalProperties: more } = at;
    if (values !== undefined) {
      const list = values as readonly Json[];
      const isWrong = (value: Json) =>
        type === 'integer' ? !Number.isInteger(value) : typeof value !== type;
      if (!Array.isArray(values) || list.length === 0 || list.some(isWrong))
        say('values of another type');
    }
    const members = (properties ?? {}) as JsonObject;
    for (const [key, one] of Object.entries(members)) look(one, `${path}.properties.${key}`);
    for (const key of (required ?? []) as readonly string[])
      if (!Object.hasOwn(members, key)) say(`${key} is required and not declared`);
    if (items !== undefined) look(items, `${path}.items`);
    if (more !== undefined && typeof more !== 'boolean') look(more, `${path}.additionalProperties`);
    for (const [index, one] of ((at['prefixItems'] ?? []) as readonly Json[]).entries())
      look(one, `${path}.prefixItems.${index}`);
    if (Number(at['minimum']) > Number(at['maximum'])) say('minimum over maximum');
  }

  look(schema, 'root');
  for (const [name, one] of Object.entries((schema['$defs'] ?? {}) as JsonObject))
    look(one, `$defs.${name}`);
  return problems;
}
