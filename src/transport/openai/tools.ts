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

export interface OpenAiTools {
  readonly tools?: readonly ChatTool[];
  readonly choice?: ToolChoice;
  readonly style: CallStyle;
}

const NONE: OpenAiTools = { style: 'tools' };
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

export function readOpenAiTools(body: JsonFields): OpenAiTools {
  const { tools, functions, tool_choice: choice, function_call: legacyChoice } = body;
  const isLegacy = isFilled(functions, 'functions');
  if (isFilled(tools, 'tools')) {
    if (isLegacy) {
      const fix = 'Send tools alone.';
      throw fieldError('functions', 'tools and functions are both given.', fix);
    }
    return withChoice(tools.map(readTool), choice, 'tool_choice', 'tools');
  }
  if (isLegacy) {
    return withChoice(functions.map(readLegacy), legacyChoice, 'function_call', 'functions');
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

function readTool(value: unknown, at: number): ChatTool {
  const { type, function: declared } = isJsonObject(value) ? value : NOTHING;
  if (type === 'function' && isJsonObject(declared)) {
    return readDeclaration(declared, `tools[${at}].function`);
  }
  throw fieldError(
    `tools[${at}]`,
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
  tools: readonly ChatTool[],
  value: unknown,
  field: string,
  style: CallStyle,
): OpenAiTools {
  const names = new Set<string>();
  for (const [at, { name }] of tools.entries()) {
    if (names.has(name)) {
      const where = style === 'tools' ? `tools[${at}].function.name` : `functions[${at}].name`;
      throw fieldError(where, `Two tools are called ${name}.`, 'Give each a unique name.');
    }
    names.add(name);
  }
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
