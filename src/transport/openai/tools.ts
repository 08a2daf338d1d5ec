import type { ChatTool, ToolChoice } from '#core/llm/chat.ts';
import type { JsonObject } from '#core/json/json.ts';
import {
  fieldError,
  fieldProblem,
  isAbsent,
  isJsonObject,
  readList,
  type JsonFields,
} from '../gateway/fields.ts';
import { readArgumentsSchema } from '../gateway/read-schema.ts';

/** The format of tool calls: `tools`, or the legacy `functions`. */
export type CallStyle = 'tools' | 'functions';

/** A tool, and the field that it was read from. */
export interface AddedTool {
  readonly tool: ChatTool;
  readonly field: string;
}

export interface OpenAiTools {
  readonly tools?: readonly ChatTool[];
  readonly choice?: ToolChoice;
  readonly style: CallStyle;
}

const NONE: OpenAiTools = { style: 'tools' };
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

export function readOpenAiTools(
  body: JsonFields,
  /** Tools that messages add. */
  added: readonly AddedTool[] = [],
): OpenAiTools {
  const { tools, functions, tool_choice: choice, function_call: legacyChoice } = body;
  const isLegacy = isFilled(functions, 'functions');
  const given = isFilled(tools, 'tools')
    ? tools.map((each, at) => readTool(each, at, 'tools'))
    : [];
  if (given.length + added.length > 0) {
    if (isLegacy) {
      const fix = 'Send tools alone.';
      throw fieldError('functions', 'tools and functions are both given.', fix);
    }
    const all = given.map((tool, at): AddedTool => ({ tool, field: `tools[${at}].function` }));
    return withChoice([...all, ...added], choice, 'tool_choice', 'tools');
  }
  if (isLegacy) {
    const all = functions.map((each, at): AddedTool => ({
      tool: readLegacy(each, at),
      field: `functions[${at}]`,
    }));
    return withChoice(all, legacyChoice, 'function_call', 'functions');
  }
  if (choice === 'required' || isJsonObject(choice)) {
    const fix = 'Send the tools, or leave tool_choice out.';
    throw fieldError('tool_choice', 'The model is to call a tool, and none is given.', fix);
  }
  return NONE;
}

/** Whether a list has entries; an empty list counts as missing. */
function isFilled(value: unknown, field: string): value is readonly unknown[] {
  return !isAbsent(value) && readList(value, field).length > 0;
}

/**
 * The tools of a message of the role system, as Kimi K3 takes them: known from there on. Undefined
 * if it has none.
 */
export function readMessageTools(value: unknown, at: number): readonly AddedTool[] | undefined {
  const field = `messages[${at}].tools`;
  if (!isFilled(value, field)) return undefined;
  return value.map((each, index) => ({
    tool: readTool(each, index, field),
    field: `${field}[${index}].function`,
  }));
}

function readTool(value: unknown, at: number, list: string): ChatTool {
  const field = `${list}[${at}]`;
  const { type, function: declared } = isJsonObject(value) ? value : NOTHING;
  if (type === 'function' && isJsonObject(declared)) {
    return readDeclaration(declared, `${field}.function`);
  }
  throw fieldError(
    field,
    'Only tools of the type function can be given.',
    'Send {"type": "function", "function": {"name", "description", "parameters"}}; for a search of the web send web_search_options.',
  );
}

function readLegacy(value: unknown, at: number): ChatTool {
  if (isJsonObject(value)) return readDeclaration(value, `functions[${at}]`);
  const fix = 'Send {"name", "description", "parameters"}.';
  throw fieldError(`functions[${at}]`, 'A function must be an object.', fix);
}

const NOTHING: { readonly type?: unknown; readonly function?: unknown } = {};

function readDeclaration({ name, description, parameters }: JsonFields, field: string): ChatTool {
  if (typeof name !== 'string' || name === '') {
    throw fieldError(`${field}.name`, 'The tool has no name.', NAME_FIX);
  }
  if (!NAME.test(name)) {
    throw fieldError(`${field}.name`, 'The name of the tool has other characters.', NAME_FIX);
  }
  if (!isAbsent(description) && typeof description !== 'string') {
    const fix = 'Send a text, or leave it out.';
    throw fieldError(`${field}.description`, `The description of ${name} must be a text.`, fix);
  }
  return {
    name,
    description: description ?? '',
    parameters: isAbsent(parameters)
      ? NO_ARGUMENTS
      : readArgumentsSchema(parameters, name, `${field}.parameters`),
  };
}

const NAME_FIX = 'Use 1 to 64 letters, digits, _ and -.';

function withChoice(
  all: readonly AddedTool[],
  value: unknown,
  field: string,
  style: CallStyle,
): OpenAiTools {
  const names = new Set<string>();
  for (const { tool, field: where } of all) {
    if (names.has(tool.name)) {
      const message = `Two tools are called ${tool.name}.`;
      throw fieldError(`${where}.name`, message, 'Give each a unique name.');
    }
    names.add(tool.name);
  }
  const tools = all.map(({ tool }) => tool);
  if (isAbsent(value)) return { tools, style };
  return { tools, choice: readToolChoice(value, field, style, names), style };
}

function readToolChoice(
  value: unknown,
  field: string,
  style: CallStyle,
  names: ReadonlySet<string>,
): ToolChoice {
  if (value === 'auto' || value === 'none') return value;
  if (value === 'required' && style === 'tools') return value;
  const name = nameIn(value, style);
  if (typeof name !== 'string') {
    const fix =
      style === 'tools'
        ? 'Send auto, none, required or {"type": "function", "function": {"name"}}.'
        : 'Send auto, none or {"name"}.';
    throw fieldProblem(field, 'names no choice', fix);
  }
  if (names.has(name)) return { name };
  const message = `${field} names a tool that is not given.`;
  throw fieldError(field, message, `Give the tool, or name one of the ${names.size} given.`);
}

function nameIn(value: unknown, style: CallStyle): unknown {
  if (!isJsonObject(value)) return undefined;
  if (style === 'functions') return value['name'];
  const { type, function: named } = value;
  return type === 'function' && isJsonObject(named) ? named['name'] : undefined;
}
