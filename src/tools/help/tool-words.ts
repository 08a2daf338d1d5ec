import type { Json, JsonObject } from '#core/json.ts';
import type { Tool } from '#core/tool.ts';
import type { Usable } from '../materials/catalogue.ts';
import { ARGUMENT_WORDS } from './argument-words.ts';

/** One argument as a line for whoever calls the tool. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  /** `text`, `number`, one of a few words. */
  readonly kind: string;
  readonly about: string;
}

/** The arguments of a tool as its schema has them, those that it needs first. */
export function argumentsOf({ inputSchema }: Pick<Tool, 'inputSchema'>): readonly Argument[] {
  const { properties, required } = inputSchema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(objectOf(properties)).map(([name, schema]) => {
    const { description } = objectOf(schema);
    const short = typeof description === 'string' ? description : '';
    const long = Object.hasOwn(ARGUMENT_WORDS, name) ? (ARGUMENT_WORDS[name] ?? '') : '';
    const about = `${short} ${long}`.trim();
    return { name, required: needed.has(name), kind: kindOf(schema), about };
  });
  return [...all.filter((each) => each.required), ...all.filter((each) => !each.required)];
}

/** All about one tool, for the model or the person that wants to call it. */
export function toolWords({ tool, listed }: Usable): string {
  const { name, title, description, profile, help } = tool;
  const lines = argumentsOf(tool).map(({ name: argument, required, kind, about }) => {
    const words = about === '' ? '' : `: ${about}`;
    return `- ${argument} (${kind}${required ? ', required' : ''})${words}`;
  });
  const place = listed
    ? ''
    : `It is not in the list of tools (profile ${profile}), and can be called all the same.`;
  return [
    `# ${name} – ${title}`,
    description,
    help ?? '',
    place,
    ['Arguments:', ...lines].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Every tool in a line. */
export function indexWords(usable: readonly Usable[]): string {
  const lines = usable.map(({ tool: { name, description }, listed }) => {
    const [first = ''] = description.split(/(?<=[.:])\s/);
    return `- ${name}${listed ? '' : ' (not listed)'}: ${first}`;
  });
  return `${lines.join('\n')}\n\nCall tool_help with "tool" for all about one of them.`;
}

function kindOf(schema: Json | undefined): string {
  const { type, enum: words, anyOf, items, const: only } = objectOf(schema);
  if (Array.isArray(words)) return words.join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(anyOf)) return anyOf.map(kindOf).join(' or ');
  if (type === 'array') return `list of ${kindOf(items)}`;
  return (typeof type === 'string' ? KIND_WORDS[type] : undefined) ?? 'anything';
}

const KIND_WORDS: Readonly<Partial<Record<string, string>>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true | false',
  object: 'object',
};

function objectOf(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? (json as JsonObject)
    : {};
}
