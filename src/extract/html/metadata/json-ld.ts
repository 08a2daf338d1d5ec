import { textOf, type Tree } from '../tree/node.ts';

export type SchemaObject = Readonly<Record<string, unknown>>;

/** A page describes itself in a few objects; one with thousands is a catalogue or an attack. */
const MAX_OBJECTS = 500;
const MAX_DEPTH = 6;

/** The schema.org objects of a page, those inside of others included. */
export function readJsonLd(tree: Tree): readonly SchemaObject[] {
  const found: SchemaObject[] = [];
  for (const script of tree.head) {
    if (script.name !== 'script' || !/ld\+json/i.test(script.get('type') ?? '')) continue;
    collect(parseLoose(textOf(script)), found, 0);
  }
  return found;
}

/** JSON as pages have it: in comments or CDATA, with line breaks inside of texts. */
export function parseLoose(text: string): unknown {
  const bare = text
    .replaceAll('<!---->', '')
    .replaceAll(']]>', '')
    .replace(/^\s*(?:\/\/|\/\*|<!--)[\s*/]*/, '')
    .trim();
  try {
    return JSON.parse(bare);
  } catch {
    // Control characters inside of texts are the usual fault.
  }
  try {
    return JSON.parse(bare.replace(/\p{Cc}+/gu, ' ').replace(/;\s*$/, ''));
  } catch {
    return undefined; // Metadata that cannot be read is metadata that is missing.
  }
}

function collect(value: unknown, found: SchemaObject[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const each of value) {
      if (found.length >= MAX_OBJECTS) return;
      collect(each, found, depth + 1);
    }
    return;
  }
  const object = value as SchemaObject;
  if (found.length >= MAX_OBJECTS) return;
  if (object['@type'] !== undefined) found.push(object);
  for (const each of Object.values(object)) collect(each, found, depth + 1);
}

/** The types of an object, without the address of the vocabulary. */
export function schemaTypes(object: SchemaObject): readonly string[] {
  return [object['@type']]
    .flat()
    .filter((type) => typeof type === 'string')
    .map((type) => type.slice(type.lastIndexOf('/') + 1));
}

/** A text, or the name of an object, or the first of a list of these. */
export function textValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (Array.isArray(value)) {
    const names = value.map(textValue).filter((name) => name !== undefined);
    return names.length === 0 ? undefined : names.join(', ');
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, '@value': literal } = value as SchemaObject;
  return textValue(name ?? literal);
}
