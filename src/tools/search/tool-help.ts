import type { Json, JsonObject } from '#core/json/json.ts';
import { CALL_TOOL, CALL_TOOL_WRITE } from '#core/tools/tool-name.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { UsableTool } from '../resources/tool-catalogue.ts';
import { argumentHelp } from '../shared/argument-help.ts';

/** The first sentence of a tool's description. */
export function summaryOf({ description }: Pick<Tool, 'description'>): string {
  const [first = ''] = description.split(/(?<=\.)\s+(?=\p{Lu})/u);
  return first;
}

/**
 * How a caller calls a tool: by its name where it is listed, otherwise through a wrapper that the
 * caller has. Without one, by its name.
 */
export function callerName({ tool, listed }: UsableTool, usable: readonly UsableTool[]): string {
  if (listed) return tool.name;
  const wrapper = tool.annotations.readOnlyHint ? CALL_TOOL : CALL_TOOL_WRITE;
  return usable.some((each) => each.tool.name === wrapper) ? wrapper : tool.name;
}

/** Renders the help of one tool, for a model or a person who wants to call it. */
export function renderToolHelp(explained: UsableTool, usable: readonly UsableTool[]): string {
  const { tool, listed } = explained;
  const { name, title, description, help, inputSchema, quarantine } = tool;
  if (quarantine) return `# ${name}\n\n${description}`;
  const callWith = callerName(explained, usable);
  const how =
    callWith === name
      ? 'Call it by its name; a client may allow only listed tools.'
      : `Call it with ${callWith} {"name": "${name}", "arguments": {…}}.`;
  const place = listed ? '' : `It is not in the list of tools. ${how}`;
  return [
    `# ${name} – ${title}`,
    description,
    place,
    help ?? describeOutput(tool),
    argumentsText(argumentsOf(tool)),
    `Input schema: ${compactSchema(inputSchema)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A schema without its texts, for a model that has read them or does not need them. */
export function compactSchema(schema: JsonObject): string {
  return JSON.stringify(schema, withoutTexts);
}

/** The names of the arguments that a tool needs. */
export function requiredOf(tool: Tool): string[] {
  return argumentsOf(tool).flatMap(({ name, required }) => (required ? [name] : []));
}

/** Leaves out descriptions, which stand above; an argument may have that name, too. */
function withoutTexts(key: string, value: unknown): unknown {
  const isText = (key === 'description' || key === '$schema') && typeof value === 'string';
  return isText ? undefined : value;
}

function argumentsText(all: readonly Argument[]): string {
  if (all.length === 0) return 'Arguments: none.';
  return ['Arguments:', ...all.map(argumentLine)].join('\n');
}

function argumentLine({ name, required, kind, default: usual, about }: Argument): string {
  const need = required ? ', required' : '';
  const without = usual === undefined ? '' : `, default ${JSON.stringify(usual)}`;
  return `- ${name} (${kind}${need}${without})${about === '' ? '' : `: ${about}`}`;
}

/** Describes the output of a tool that has no help text. */
function describeOutput({ outputSchema }: Tool): string {
  const { content } = objectOf(outputSchema?.['properties']);
  const fields = Object.keys(objectOf(objectOf(content)['properties']));
  if (fields.length === 0) return '';
  return `Comes back: status success, a text, and content with ${fields.join(', ')}; what a call leaves out is absent.`;
}

/** One argument of a tool, as help shows it. */
interface Argument {
  readonly name: string;
  readonly required: boolean;
  /** `text`, `number`, or a list of values. */
  readonly kind: string;
  readonly default?: Json;
  readonly about: string;
}

/** The arguments of a tool from its schema, required ones first. */
export function argumentsOf({
  name: tool,
  inputSchema,
}: Pick<Tool, 'name' | 'inputSchema'>): readonly Argument[] {
  const needed = textsOf(inputSchema['required']);
  const all = Object.entries(objectOf(inputSchema['properties'])).map(([name, schema]) => {
    const { description, default: usual } = objectOf(schema);
    const short = typeof description === 'string' ? description : '';
    return {
      name,
      required: needed.has(name),
      kind: describeSchema(schema),
      ...(usual !== undefined && { default: usual }),
      about: argumentHelp(tool, name) ?? short,
    };
  });
  return [...all.filter((each) => each.required), ...all.filter((each) => !each.required)];
}

/** Deeper levels are left to the schema itself. */
const MAX_DEPTH = 3;
const MAX_FIELDS = 30;

/** Describes a JSON schema in short: `list of {model: text, stance?: for | against}`. */
export function describeSchema(schema: Json | undefined, depth = 0): string {
  const { type, enum: words, anyOf, items, properties, required, const: only } = objectOf(schema);
  if (Array.isArray(words)) return words.join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(anyOf)) return anyOf.map((each) => describeSchema(each, depth)).join(' or ');
  if (type === 'array') return `list of ${describeSchema(items, depth)}`;
  if (type === 'object' && properties !== undefined && depth < MAX_DEPTH) {
    return describeFields(objectOf(properties), textsOf(required), depth + 1);
  }
  return (typeof type === 'string' ? KINDS[type] : undefined) ?? 'anything';
}

function describeFields(fields: JsonObject, needed: ReadonlySet<Json>, depth: number): string {
  const all = Object.entries(fields);
  const shown = all
    .slice(0, MAX_FIELDS)
    .map(
      ([name, schema]) => `${name}${needed.has(name) ? '' : '?'}: ${describeSchema(schema, depth)}`,
    );
  const more = all.length > MAX_FIELDS ? ['…'] : [];
  return `{${[...shown, ...more].join(', ')}}`;
}

function textsOf(required: Json | undefined): ReadonlySet<Json> {
  return new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
}

function objectOf(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? (json as JsonObject)
    : {};
}

const KINDS: Readonly<Partial<Record<string, string>>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true | false',
  object: 'object',
  null: 'null',
};
