import type { JsonObject } from '#core/json/json.ts';
import type { ChatTool, ToolChoice } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import { shortToolName } from '../anthropic/tools.ts';
import {
  fieldError,
  fieldProblem,
  isAbsent,
  isJsonObject,
  readList,
  readObject,
  readString,
  type JsonFields,
} from '../gateway/fields.ts';
import { readArgumentsSchema } from '../gateway/read-schema.ts';

/** What the client calls a tool that the model was given as a function. */
export interface ToolBinding {
  readonly kind: 'function' | 'custom' | 'local_shell';
  readonly name: string;
  readonly namespace?: string;
}

export interface ResponsesTools {
  readonly tools: readonly ChatTool[];
  readonly choice: ToolChoice | undefined;
  /** `on` if web search is the only tool, or is chosen. */
  readonly search: 'on' | 'off';
  readonly notices: readonly Notice[];
  /** The client's name of a function that the model called. */
  readonly binding: (modelName: string) => ToolBinding;
}

/** Tools that run at OpenAI, and without which an answer is still an answer. */
const DROPPED: ReadonlySet<string> = new Set([
  'web_search',
  'web_search_preview',
  'image_generation',
  'tool_search',
  'shell',
  'apply_patch',
]);
const NAME = /^[A-Za-z0-9_-]{1,128}$/;
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };
const CUSTOM_INPUT: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The input of the tool, as plain text.' } },
  required: ['input'],
};
export const LOCAL_SHELL = 'local_shell';
const SHELL_ARGUMENTS: JsonObject = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'Program and arguments.' },
    working_directory: { type: 'string' },
    timeout_ms: { type: 'integer' },
    env: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['command'],
};

/** The name that the model has for a tool of a namespace. */
export function modelToolName(name: string, namespace: string | undefined): string {
  if (namespace === undefined || namespace === '') return shortToolName(name);
  const joint = namespace.endsWith('__') ? '' : '__';
  return shortToolName(`${namespace}${joint}${name}`.replaceAll(/[^A-Za-z0-9_-]/g, '_'));
}

/** Reads `tools` and `tool_choice`. */
export function readResponsesTools(value: unknown, choice: unknown): ResponsesTools {
  const collected = new Map<string, { readonly tool: ChatTool; readonly binding: ToolBinding }>();
  const dropped = new Set<string>();

  function add(tool: ChatTool, binding: ToolBinding, field: string): void {
    if (collected.has(tool.name)) {
      throw fieldProblem(`${field}.name`, `is the name of two tools`, 'Rename one of them.');
    }
    collected.set(tool.name, { tool, binding });
  }

  function read(tool: JsonFields, field: string, namespace?: string): void {
    const type = readString(tool['type'], `${field}.type`);
    if (type === 'function' || type === 'custom') {
      const name = readName(tool, field);
      const modelName = modelToolName(name, namespace);
      const declared =
        type === 'function' ? readFunction(tool, field, name) : readCustom(tool, field);
      const binding = { kind: type, name, ...(namespace !== undefined && { namespace }) } as const;
      add({ name: modelName, ...declared }, binding, field);
    } else if (type === 'namespace' && namespace === undefined) {
      const inner = readString(tool['name'], `${field}.name`);
      for (const [at, each] of readList(tool['tools'], `${field}.tools`).entries()) {
        const path = `${field}.tools[${at}]`;
        read(readObject(each, path), path, inner);
      }
    } else if (type === LOCAL_SHELL) {
      const description = 'Runs a command on the machine of the user and returns its output.';
      const shell = { name: LOCAL_SHELL, description, parameters: SHELL_ARGUMENTS };
      add(shell, { kind: LOCAL_SHELL, name: LOCAL_SHELL }, field);
    } else if (isDropped(type)) dropped.add(type);
    else throw unsupportedTool(type, field);
  }

  for (const [at, each] of (isAbsent(value) ? [] : readList(value, 'tools')).entries()) {
    read(readObject(each, `tools[${at}]`), `tools[${at}]`);
  }
  const bindings = new Map([...collected].map(([name, { binding }]) => [name, binding]));
  const chosen = readChoice(choice, bindings, dropped);
  const tools = [...collected.values()]
    .map(({ tool }) => tool)
    .filter(({ name }) => chosen.allowed?.has(name) ?? true);
  const isSearching =
    chosen.search || (tools.length === 0 && [...dropped].some((type) => isSearch(type)));
  const unused = [...dropped].filter((type) => !(isSearching && isSearch(type)));
  return {
    tools,
    choice: tools.length === 0 ? undefined : chosen.choice,
    search: isSearching ? 'on' : 'off',
    notices: unused.length === 0 ? [] : [notice('gateway_tools_dropped', { types: unused })],
    binding: (name) => bindings.get(name) ?? { kind: 'function', name },
  };
}

/** Newer versions have a date after the name. */
function isDropped(type: string): boolean {
  return DROPPED.has(type.replace(/_\d{4}_\d{2}_\d{2}$/, ''));
}

function isSearch(type: string): boolean {
  return type.startsWith('web_search');
}

function readName(tool: JsonFields, field: string): string {
  const name = readString(tool['name'], `${field}.name`);
  if (NAME.test(name)) return name;
  const fix = 'Use 1 to 128 letters, digits, _ and -.';
  throw fieldProblem(`${field}.name`, 'is not a valid name of a tool', fix);
}

function readDescription({ description }: JsonFields, field: string): string {
  return isAbsent(description) ? '' : readString(description, `${field}.description`);
}

function readFunction(tool: JsonFields, field: string, name: string): Omit<ChatTool, 'name'> {
  const { parameters } = tool;
  return {
    description: readDescription(tool, field),
    parameters: isAbsent(parameters)
      ? NO_ARGUMENTS
      : readArgumentsSchema(parameters, name, `${field}.parameters`),
  };
}

/** A tool with free text as its input is a function with one argument. */
function readCustom(tool: JsonFields, field: string): Omit<ChatTool, 'name'> {
  const description = readDescription(tool, field);
  const format = isAbsent(tool['format']) ? {} : readObject(tool['format'], `${field}.format`);
  if (format['type'] !== 'grammar') return { description, parameters: CUSTOM_INPUT };
  const syntax = readString(format['syntax'], `${field}.format.syntax`);
  const grammar = readString(format['definition'], `${field}.format.definition`);
  const whole = `${description}\n\nThe input must match this grammar (${oneLine(syntax, 20)}):\n${grammar}`;
  return { description: whole, parameters: CUSTOM_INPUT };
}

function unsupportedTool(type: string, field: string): Error {
  return fieldProblem(
    `${field}.type`,
    `"${oneLine(type, 40)}" is a tool that runs at OpenAI, which other models do not have`,
    'Leave it out, or describe a tool of the type function.',
  );
}

interface ReadChoice {
  readonly choice?: ToolChoice;
  readonly search: boolean;
  /** The tools that may be called, by the names that the model has; all if absent. */
  readonly allowed?: ReadonlySet<string>;
}

type Bindings = ReadonlyMap<string, ToolBinding>;

function readChoice(value: unknown, bindings: Bindings, dropped: ReadonlySet<string>): ReadChoice {
  if (isAbsent(value) || value === 'auto') return { search: false };
  if (value === 'none') return { choice: 'none', search: false };
  if (value === 'required') {
    if (bindings.size > 0) return { choice: 'required', search: false };
    if (dropped.size > 0) return { search: [...dropped].some(isSearch) };
    throw fieldError('tool_choice', 'The model must call a tool, and there is none.', ADD_TOOLS);
  }
  if (!isJsonObject(value)) throw unknownChoice();
  const type = readString(value['type'], 'tool_choice.type');
  if (type === 'allowed_tools') return readAllowed(value, bindings);
  if (isSearch(type)) return { search: true };
  if (type !== 'function' && type !== 'custom' && type !== LOCAL_SHELL) throw unknownChoice();
  const name = type === LOCAL_SHELL ? LOCAL_SHELL : readString(value['name'], 'tool_choice.name');
  const found = findTool(name, value['namespace'], bindings);
  if (found !== undefined) return { choice: { name: found }, search: false };
  throw fieldProblem('tool_choice.name', 'is not the name of a tool of this request', ADD_TOOLS);
}

const ADD_TOOLS = 'Add it to tools, or send auto.';

function unknownChoice(): Error {
  const fix =
    'Send auto, none, required, {"type": "function", "name"} or {"type": "allowed_tools"}.';
  return fieldProblem('tool_choice', 'is not a known choice', fix);
}

function readAllowed(value: JsonFields, bindings: Bindings): ReadChoice {
  const allowed = new Set<string>();
  for (const [at, each] of readList(value['tools'], 'tool_choice.tools').entries()) {
    const { name, namespace } = readObject(each, `tool_choice.tools[${at}]`);
    const found = typeof name === 'string' ? findTool(name, namespace, bindings) : undefined;
    if (found !== undefined) allowed.add(found);
  }
  return { search: false, allowed, ...(value['mode'] === 'required' && { choice: 'required' }) };
}

function findTool(name: string, namespace: unknown, bindings: Bindings): string | undefined {
  const inNamespace = typeof namespace === 'string' ? namespace : undefined;
  for (const [modelName, binding] of bindings) {
    const isIt = inNamespace === undefined || binding.namespace === inNamespace;
    if (binding.name === name && isIt) return modelName;
  }
  return undefined;
}
