import * as z from 'zod';
import type { Caller } from '#core/calls/call.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { normaliseToolName } from '#core/tools/tool-name.ts';
import type { Tool } from '#core/tools/tool.ts';
import { argumentHelp } from './shared/argument-help.ts';
import { usableTools, type ToolCatalogue, type UsableTool } from './resources/tool-catalogue.ts';

export interface ToolHelpDeps {
  readonly catalogue: ToolCatalogue;
  /** `, did you mean "x"?` or an empty string. */
  readonly suggest: (name: string, caller: Caller) => string;
}

/**
 * Explains a tool in the detail that tool lists omit, because lists are sent with every question.
 */
export function toolHelp({ catalogue, suggest }: ToolHelpDeps): Tool {
  return defineTool({
    name: 'tool_help',
    title: 'Tool help',
    description:
      'How a tool is called: its arguments, statuses and what comes back. Without "tool": every tool there is, those left out of this list included.',
    input: z.strictObject({ tool: z.string().min(1).max(128).optional() }),
    output: z.strictObject({
      tools: z.array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          profile: z.string(),
          listed: z.boolean(),
          help: z.string().optional(),
          arguments: z
            .array(
              z.strictObject({
                name: z.string(),
                required: z.boolean(),
                kind: z.string(),
                default: z.unknown().optional(),
                about: z.string(),
              }),
            )
            .optional(),
        }),
      ),
    }),
    effect: 'reads',
    profile: 'lean',
    async run({ tool: wanted }, { caller }) {
      const usable = usableTools(caller, catalogue);
      if (wanted === undefined) {
        const tools = usable.map(({ tool: { name, title, profile }, listed }) => ({
          name,
          title,
          profile,
          listed,
        }));
        return { text: renderToolIndex(usable), content: { tools } };
      }
      const name = normaliseToolName(wanted);
      const found = usable.find(({ tool }) => tool.name === name);
      if (!found) {
        const what = { tool: oneLine(wanted, 80), hint: suggest(wanted, caller) };
        throw codedError('not_found', reason('unknown_tool', what), {
          field: 'tool',
          fixes: [fix('list_tools')],
        });
      }
      const { title, profile, help } = found.tool;
      const entry = {
        name,
        title,
        profile,
        listed: found.listed,
        ...(help !== undefined && { help }),
        arguments: [...argumentsOf(found.tool)],
      };
      return { text: renderToolHelp(found), content: { tools: [entry] } };
    },
  });
}

/** Renders one line per tool. */
function renderToolIndex(usable: readonly UsableTool[]): string {
  const lines = usable.map(({ tool: { name, description }, listed }) => {
    const [first = ''] = description.split(/(?<=\.)\s+(?=\p{Lu})/u);
    return `- ${name}${listed ? '' : ' (not listed)'}: ${first}`;
  });
  const isShort = usable.some(({ listed }) => !listed);
  return [
    lines.join('\n'),
    'Call tool_help with "tool" for all about one of them.',
    ...(isShort
      ? [
          'Those that are not listed can be called by name all the same; for a client that only calls what is listed, set tools.profile to full.',
        ]
      : []),
  ].join('\n\n');
}

/** Renders the help of one tool, for a model or a person who wants to call it. */
function renderToolHelp({ tool, listed }: UsableTool): string {
  const { name, title, description, profile, help } = tool;
  const place = listed
    ? ''
    : `It is not in the list of tools (profile ${profile}), and can be called all the same.`;
  return [
    `# ${name} – ${title}`,
    description,
    place,
    help ?? describeOutput(tool),
    ['Arguments:', ...argumentsOf(tool).map(argumentLine)].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
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
  const needed = requiredOf(inputSchema['required']);
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
    return describeFields(objectOf(properties), requiredOf(required), depth + 1);
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

function requiredOf(required: Json | undefined): ReadonlySet<Json> {
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
