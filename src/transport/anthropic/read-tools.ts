import type { ChatTool, ToolChoice } from '#core/chat.ts';
import { oneLine } from '#core/one-line.ts';
import {
  fieldError,
  isAbsent,
  readList,
  readObject,
  readText,
  type Fields,
} from '../gateway/fields.ts';
import { readArgumentsSchema } from '../gateway/read-schema.ts';
import { fullToolNames, shortToolName, type FullToolName } from './tool-names.ts';

export interface ReadTools {
  readonly tools: readonly ChatTool[];
  /** Whether the client wants the web searched for it. */
  readonly search: 'on' | 'off';
  readonly fullName: FullToolName;
  readonly choice: ToolChoice | undefined;
}

const NAME = /^[A-Za-z0-9_-]{1,128}$/;

export function readTools(value: unknown, choice: unknown): ReadTools {
  const tools: ChatTool[] = [];
  const names = new Set<string>();
  const hosted = new Set<string>();
  let search: ReadTools['search'] = 'off';
  for (const [index, each] of (isAbsent(value) ? [] : readList(value, 'tools')).entries()) {
    const field = `tools[${index}]`;
    const tool = readObject(each, field);
    const kind = kindOf(tool['type'], field);
    const name = readText(tool['name'], `${field}.name`);
    if (!NAME.test(name)) {
      const fix = 'Use up to 128 letters, digits, _ and -.';
      throw fieldError(`${field}.name`, 'This is no name for a tool.', fix);
    }
    if (names.has(name)) {
      const fix = 'Give each a name of its own.';
      throw fieldError(`${field}.name`, `Two tools are called ${name}.`, fix);
    }
    names.add(name);
    if (kind === 'custom') tools.push(readTool(tool, name, field));
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
  const name = readText(type, `${field}.type`);
  if (name.startsWith('web_search')) return 'web_search';
  // The model is shown every tool from the start, so there is nothing to search for.
  if (name.startsWith('tool_search_tool')) return 'tool_search';
  throw fieldError(
    `${field}.type`,
    `Tools of the type "${oneLine(name, 64)}" are Anthropic's own, and other models do not know them.`,
    'Leave it out, or describe a tool of your own by name, description and input_schema.',
  );
}

function readTool(tool: Fields, name: string, field: string): ChatTool {
  const { description, input_schema: schema } = tool;
  return {
    name: shortToolName(name),
    description: isAbsent(description) ? '' : readText(description, `${field}.description`),
    parameters: readArgumentsSchema(schema, name, `${field}.input_schema`),
  };
}

/** What only the server's own tools could do is done by `search`, so that no choice is left to tell. */
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
      const name = readText(choice['name'], 'tool_choice.name');
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
