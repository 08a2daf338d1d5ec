import type { Json, JsonObject } from '#core/json/json.ts';

/** A text of a definition that a model may read. */
export interface DefinitionText {
  /** Where it is: `description`, `inputSchema.properties.path.description`. */
  readonly at: string;
  readonly text: string;
}

export interface DefinitionTexts {
  readonly texts: readonly DefinitionText[];
  /** Whether the definition has more than is read. */
  readonly isCut: boolean;
}

export const MAX_SCANNED_CHARS = 65_536;
const MAX_TEXTS = 20_000;
const MAX_DEPTH = 64;
const MAX_PLACE_CHARS = 200;
/** Data for programs, or an address; pictures may be hundreds of kilobytes. */
const SKIPPED = new Set([
  'icons',
  '$schema',
  '$id',
  '$ref',
  'type',
  'mimeType',
  'uri',
  'uriTemplate',
  'format',
  'pattern',
]);

/** Every text of a definition: values, and names of members below the first level. */
export function textsOf(definition: JsonObject): DefinitionTexts {
  const texts: DefinitionText[] = [];
  let chars = 0;
  let isCut = false;

  function add(at: string, text: string): void {
    if (text === '') return;
    if (chars + text.length > MAX_SCANNED_CHARS || texts.length >= MAX_TEXTS) {
      isCut = true;
      return;
    }
    chars += text.length;
    texts.push({ at: at.slice(0, MAX_PLACE_CHARS), text });
  }

  function visit(value: Json | undefined, at: string, depth: number): void {
    if (isCut) return;
    if (typeof value === 'string') return add(at, value);
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) {
      isCut = true;
      return;
    }
    if (Array.isArray(value)) {
      for (const [index, each] of (value as readonly Json[]).entries())
        visit(each, `${at}[${index}]`, depth + 1);
      return;
    }
    for (const [name, each] of Object.entries(value)) {
      const place = at === '' ? name : `${at}.${name}`;
      if (depth > 0) add(place, name);
      // A member of a schema may have such a name; then it is an object.
      if (typeof each === 'string' && SKIPPED.has(name)) continue;
      if (depth === 0 && name === 'icons') continue;
      visit(each, place.slice(0, MAX_PLACE_CHARS), depth + 1);
    }
  }

  visit(definition, '', 0);
  return { texts, isCut };
}
