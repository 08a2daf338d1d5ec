import { createHash } from 'node:crypto';
import type { ChatTool, ToolChoice } from '#core/llm/chat.ts';
import { oneLine } from '#core/text/text.ts';
import {
  fieldError,
  isAbsent,
  readList,
  readObject,
  readString,
  type JsonFields,
} from '../gateway/fields.ts';
import { readArgumentsSchema } from '../gateway/read-schema.ts';
import { clientTool } from './client-tools.ts';

export interface AnthropicTools {
  readonly tools: readonly ChatTool[];
  /** Whether the request has Anthropic's web search tool. */
  readonly search: 'on' | 'off';
  readonly fullName: FullToolName;
  readonly choice: ToolChoice | undefined;
}

const NAME = /^[A-Za-z0-9_-]{1,128}$/;

export function readAnthropicTools(value: unknown, choice: unknown): AnthropicTools {
  const tools: ChatTool[] = [];
  const names = new Set<string>();
  const hosted = new Set<string>();
  let search: AnthropicTools['search'] = 'off';
  for (const [index, each] of (isAbsent(value) ? [] : readList(value, 'tools')).entries()) {
    const field = `tools[${index}]`;
    const tool = readObject(each, field);
    const clientSide =
      typeof tool['type'] === 'string' ? clientTool(tool['type'], tool) : undefined;
    const kind = clientSide ? 'custom' : kindOf(tool['type'], field);
    const name = readString(tool['name'], `${field}.name`);
    if (!NAME.test(name)) {
      const fix = 'Use up to 128 letters, digits, _ and -.';
      throw fieldError(`${field}.name`, 'This is not a valid tool name.', fix);
    }
    if (names.has(name)) {
      const fix = 'Give each a unique name.';
      throw fieldError(`${field}.name`, `Two tools are called ${name}.`, fix);
    }
    names.add(name);
    if (clientSide) tools.push({ name: shortToolName(name), ...clientSide });
    else if (kind === 'custom') tools.push(readTool(tool, name, field));
    else hosted.add(name);
    if (kind === 'web_search') search = 'on';
  }
  return {
    tools,
    search,
    fullName: fullToolNames([...names]),
    choice: readToolChoice(choice, names, hosted, tools.length),
  };
}

type Kind = 'custom' | 'web_search' | 'tool_search';

function kindOf(type: unknown, field: string): Kind {
  if (isAbsent(type) || type === 'custom') return 'custom';
  const name = readString(type, `${field}.type`);
  if (name.startsWith('web_search')) return 'web_search';
  // The model gets all tools from the start, so there is nothing to search for.
  if (name.startsWith('tool_search_tool')) return 'tool_search';
  throw fieldError(
    `${field}.type`,
    `Tools of the type "${oneLine(name, 64)}" are Anthropic's own, and other models do not know them.`,
    'Leave it out, or define your own tool by name, description and input_schema.',
  );
}

function readTool(tool: JsonFields, name: string, field: string): ChatTool {
  const { description, input_schema: schema } = tool;
  return {
    name: shortToolName(name),
    description: isAbsent(description) ? '' : readString(description, `${field}.description`),
    parameters: readArgumentsSchema(schema, name, `${field}.input_schema`),
  };
}

/** Reads `tool_choice`; undefined if only hosted tools remain, as `search` covers these. */
function readToolChoice(
  value: unknown,
  names: ReadonlySet<string>,
  hosted: ReadonlySet<string>,
  custom: number,
): ToolChoice | undefined {
  if (isAbsent(value)) return undefined;
  const choice = readObject(value, 'tool_choice');
  switch (choice['type']) {
    case 'auto':
    case 'none':
      return custom === 0 ? undefined : choice['type'];
    case 'any':
      if (names.size === 0) throw nothingToCall('tool_choice', 'a tool');
      return custom === 0 ? undefined : 'required';
    case 'tool': {
      const name = readString(choice['name'], 'tool_choice.name');
      if (!names.has(name)) throw nothingToCall('tool_choice.name', oneLine(name, 64));
      return hosted.has(name) ? undefined : { name: shortToolName(name) };
    }
    default:
      throw fieldError(
        'tool_choice.type',
        'There is no such choice.',
        'Send auto, any, tool or none.',
      );
  }
}

function nothingToCall(field: string, what: string): Error {
  const message = `The model is to call ${what}, which it is not given.`;
  return fieldError(field, message, 'Add it to tools, or leave the choice to the model.');
}

/** The limit of vendors for tool names; Anthropic's is 128. */
const MAX_CHARS = 64;
const DIGEST_CHARS = 8;

/** Shortens a tool name to the limit of vendors, always in the same way. */
export function shortToolName(name: string): string {
  if (name.length <= MAX_CHARS) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARS);
  return `${name.slice(0, MAX_CHARS - DIGEST_CHARS - 1)}_${digest}`;
}

/** Maps a shortened tool name back to the client's name. */
type FullToolName = (name: string) => string;

function fullToolNames(names: readonly string[]): FullToolName {
  const long = names.filter((name) => name.length > MAX_CHARS);
  if (long.length === 0) return (name) => name;
  const full = new Map(long.map((name) => [shortToolName(name), name]));
  return (name) => full.get(name) ?? name;
}
