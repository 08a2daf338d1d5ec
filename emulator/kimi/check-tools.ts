import { isObject, type Dictionary } from '../is-object.ts';
import { checkSchema } from './check-schema.ts';
import { invalid } from './errors.ts';
import type { KimiModel } from './models.ts';
import type { KimiSwitches } from './switches.ts';

export const WEB_SEARCH = '$web_search';

const MAX_TOOLS = 128;
const NAMES = {
  long: /^[a-zA-Z_][a-zA-Z0-9-_]{0,255}$/,
  short: /^[a-zA-Z_][a-zA-Z0-9-_]{2,63}$/,
};

/**
 * All tools of a request: the member `tools`, and those that system messages add from some point
 * on. Gives their names.
 */
export function checkTools(
  body: Dictionary,
  model: KimiModel,
  switches: KimiSwitches,
): ReadonlySet<string> {
  const { tools } = body;
  const names = new Set<string>();
  if (tools !== undefined && tools !== null) {
    if (!Array.isArray(tools)) throw invalid('Invalid request: tools must be an array');
    if (model.family === 'preview' && tools.length > 0)
      throw invalid('Invalid request: tools are not supported by this model');
    if (tools.length > MAX_TOOLS)
      throw invalid(
        `tools array too long. Expected an array with maximum length ${MAX_TOOLS}, but got ${tools.length}`,
      );
    for (const tool of tools) checkTool(tool, names, switches);
  }
  const added = Array.isArray(body['messages']) ? body['messages'] : [];
  for (const message of added)
    if (isObject(message) && Array.isArray(message['tools']))
      for (const tool of message['tools']) checkTool(tool, names, switches);
  return names;
}

function checkTool(tool: unknown, names: Set<string>, switches: KimiSwitches): void {
  const named = isObject(tool) ? tool['function'] : undefined;
  if (!isObject(tool) || !isObject(named) || typeof named['name'] !== 'string')
    throw invalid('Invalid request: tools must have a function with a name');
  const { name } = named;
  if (tool['type'] === 'builtin_function') {
    if (name !== WEB_SEARCH)
      throw invalid(`Invalid request: unknown builtin_function ${name.slice(0, 100)}`);
  } else if (tool['type'] === 'function') {
    const pattern = switches.toolNames === 'short' ? NAMES.short : NAMES.long;
    if (!pattern.test(name))
      throw invalid(
        'Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes',
      );
    if (named['parameters'] !== undefined) checkSchema(named['parameters']);
  } else throw invalid('Invalid request: tools.type must be function or builtin_function');
  if (names.has(name)) throw invalid(`Invalid request: function name ${name} is duplicated`);
  names.add(name);
}

/** Forcing a call is at odds with thinking, except for `required` on K3; other reports are switches. */
export function checkToolChoice(
  choice: unknown,
  names: ReadonlySet<string>,
  model: KimiModel,
  thinking: 'on' | 'off',
  switches: KimiSwitches,
): void {
  if (choice === undefined || choice === null || choice === 'auto' || choice === 'none') return;
  const named =
    isObject(choice) && isObject(choice['function']) ? choice['function']['name'] : undefined;
  if (choice !== 'required' && typeof named !== 'string')
    throw invalid('Invalid request: tool_choice must be auto, none, required or a function');
  const mayForce =
    (choice === 'required' && switches.toolChoice === 'docs' && model.family === 'k3') ||
    (choice !== 'required' && switches.toolChoice === 'named');
  if (thinking === 'on' && !mayForce)
    throw invalid(
      `tool_choice '${choice === 'required' ? 'required' : 'specified'}' is incompatible with thinking enabled`,
    );
  if (typeof named === 'string' ? !names.has(named) : names.size === 0)
    throw invalid('Invalid request: tool_choice names no tool of the request');
}
