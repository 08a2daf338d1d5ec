import { hash } from 'node:crypto';
import type { JsonObject } from '#core/json/json.ts';

/** What callers and models are told of a tool. Icons and `_meta` are for programs. */
const PINNED_FIELDS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const;

/** The hash of a definition, which does not depend on the order of members. */
export function hashDefinition(definition: JsonObject): string {
  return hash('sha256', `exai/tool/1\n${canonicalJson(pinnedPart(definition))}`);
}

/** The same without its names, so that a tool that was only renamed is recognised. */
export function hashWithoutName(definition: JsonObject): string {
  const { name: _name, title: _title, ...rest } = pinnedPart(definition);
  return hash('sha256', `exai/tool-body/1\n${canonicalJson(rest)}`);
}

/** The hash of a list of tools by their names and hashes. */
export function hashList(hashes: ReadonlyMap<string, string>): string {
  return hash('sha256', `exai/tools/1\n${JSON.stringify([...hashes])}`);
}

/** The fields of a definition that are pinned. */
export function pinnedPart(definition: JsonObject): JsonObject {
  return Object.fromEntries(
    PINNED_FIELDS.flatMap((field) => {
      const value = definition[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

function canonicalJson(value: JsonObject): string {
  return JSON.stringify(value, (_key, given: unknown) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    // A key may be `__proto__`: an object without a prototype holds it like any other.
    const sorted = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(given).sort())
      sorted[key] = (given as Record<string, unknown>)[key];
    return sorted;
  });
}
