import type { Json, JsonObject } from '#core/json/json.ts';
import type { Tool } from '#core/tools/tool.ts';
import { KEYWORDS } from '../keywords.ts';

/** What a search knows of a tool. */
export interface ToolDocument {
  readonly name: string;
  readonly server: string;
  readonly title: string;
  readonly description: string;
  readonly argumentNames: string;
  /** The descriptions of its arguments, also of those within others. */
  readonly argumentTexts: string;
  /** Further words that find it. */
  readonly keywords: string;
}

/** The parts of a document, in the order of their weights. */
export const FIELDS = [
  'name',
  'server',
  'title',
  'description',
  'argumentNames',
  'argumentTexts',
  'keywords',
] as const satisfies readonly (keyof ToolDocument)[];

const MAX_CHARS = 4_000;
const MAX_ARGUMENTS = 200;
const MAX_DEPTH = 4;

/** The document of a tool; a tool of a server has the name that its server uses. */
export function toDocument(tool: Tool): ToolDocument {
  const { name, title, description, inputSchema, origin } = tool;
  const names: string[] = [];
  const texts: string[] = [];
  collect(inputSchema, names, texts, 0);
  const ownName = origin?.tool ?? name;
  return {
    name: separated(ownName),
    server: separated(origin?.server ?? ''),
    title: title === ownName ? '' : title.slice(0, MAX_CHARS),
    description: description.slice(0, MAX_CHARS),
    argumentNames: separated(names.join(' ')),
    argumentTexts: texts.join(' ').slice(0, MAX_CHARS),
    keywords: KEYWORDS[name] ?? '',
  };
}

function separated(name: string): string {
  return name.slice(0, MAX_CHARS).replaceAll(/[_.:/-]+/g, ' ');
}

/** Stops where a schema is deep or has more arguments than anyone describes. */
function collect(schema: Json | undefined, names: string[], texts: string[], depth: number): void {
  if (depth > MAX_DEPTH || !isObject(schema)) return;
  const { properties, items } = schema;
  if (isObject(items)) collect(items, names, texts, depth + 1);
  if (!isObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (names.length >= MAX_ARGUMENTS) return;
    names.push(name);
    if (!isObject(property)) continue;
    const { description } = property;
    if (typeof description === 'string') texts.push(description.slice(0, MAX_CHARS));
    collect(property, names, texts, depth + 1);
  }
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
