import type { ToolCall } from '#core/chat.ts';
import { asObject, asText, parseJson } from './json-read.ts';

const TAG = '<tool_call>';
/** Kimi's own marks, which its servers turn into calls unless they fail to. */
const SECTION = '<|tool_calls_section_begin|>';
const MARK = '<|tool_call_begin|>';
const FENCES = ['```json', '```tool_call', '```'];
/** The keys that the object of a call begins with. */
const KEYS = ['name', 'function', 'arguments', 'parameters', 'type', 'id'].map((key) => `"${key}"`);

/** Whether a text that begins like this may turn out to be a tool call that the vendor failed to recognise. */
export function mayBeCall(beginning: string): boolean {
  const text = beginning.trimStart();
  if ([TAG, SECTION, MARK].some((each) => each.startsWith(text) || text.startsWith(each)))
    return true;
  const fence = FENCES.find((each) => each.startsWith(text) || text.startsWith(each));
  if (fence?.startsWith(text)) return true;
  const inner = text.slice(fence?.length ?? 0).trimStart();
  const first = inner.startsWith('[') ? inner.slice(1).trimStart() : inner;
  if (first === '') return fence !== undefined || inner !== '';
  if (!first.startsWith('{')) return false;
  const key = first.slice(1).trimStart();
  return KEYS.some((each) => each.startsWith(key) || key.startsWith(each));
}

type Named = Omit<ToolCall, 'id'>;

/** The calls that a model wrote as plain text; nothing unless the whole text is calls of tools it was given. */
export function readTextCalls(
  text: string,
  tools: readonly string[],
): readonly Named[] | undefined {
  const bare = text.trim();
  const isMarked = bare.startsWith(SECTION) || bare.startsWith(MARK);
  let calls: readonly Named[] | undefined;
  try {
    calls = isMarked ? marked(bare) : bare.startsWith(TAG) ? tagged(bare) : untagged(bare);
  } catch {
    // Nested too deep to be written down again: nobody's call, and a text like any other.
    return undefined;
  }
  return calls && calls.length > 0 && calls.every(({ name }) => tools.includes(name))
    ? calls
    : undefined;
}

function tagged(text: string): readonly Named[] | undefined {
  const pieces = text.split(TAG).slice(1);
  const calls = pieces.map((piece) => {
    const inner = piece.split('</tool_call>', 1)[0]?.trim() ?? '';
    if (inner.startsWith('{')) return fromJson(parseJson(inner));
    return fromNamed(inner) ?? fromPairs(inner);
  });
  return whole(calls);
}

/** `functions.name:0`, then the arguments, each behind its mark. */
function marked(text: string): readonly Named[] | undefined {
  const calls = text
    .split(MARK)
    .slice(1)
    .map((piece): Named | undefined => {
      const [before = '', after] = piece.split('<|tool_call_argument_begin|>', 2);
      const name = /^(?:functions\.)?([\w-]+)(?::\d+)?$/.exec(before.trim())?.[1];
      const given = after?.split('<|tool_call_end|>', 1)[0]?.trim();
      return name === undefined || given === undefined ? undefined : { name, arguments: given };
    });
  return whole(calls);
}

function untagged(text: string): readonly Named[] | undefined {
  const fenced = /^```[a-z]*\n([\s\S]*)\n```$/.exec(text)?.[1];
  const value = parseJson(fenced ?? text);
  return whole((Array.isArray(value) ? value : [value]).map(fromJson));
}

function whole(calls: readonly (Named | undefined)[]): readonly Named[] | undefined {
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

function fromJson(value: unknown): Named | undefined {
  const call = asObject(value);
  const made = asObject(call?.['function']) ?? call;
  const name = asText(made?.['name']);
  const given = made?.['arguments'] ?? made?.['parameters'];
  if (!made || name === undefined || given === undefined) return undefined;
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

/** The name, and the arguments as JSON after it. */
function fromNamed(text: string): Named | undefined {
  const brace = text.indexOf('{');
  const given = brace === -1 ? undefined : text.slice(brace);
  const name = text.slice(0, Math.max(0, brace)).trim();
  if (given === undefined || name.includes('<') || !asObject(parseJson(given))) return undefined;
  return { name, arguments: given };
}

/** GLM's own notation: the name, then `<arg_key>k</arg_key><arg_value>v</arg_value>` for each argument. */
function fromPairs(text: string): Named | undefined {
  const name = text.split('<arg_key>', 1)[0]?.trim();
  if (name === undefined || name === '') return undefined;
  const values = new Map<string, unknown>();
  for (const pair of text.split('<arg_key>').slice(1)) {
    const [key = '', after = ''] = pair.split('</arg_key>');
    const value = after.split('<arg_value>')[1]?.split('</arg_value>', 1)[0];
    if (value === undefined) return undefined;
    const parsed = parseJson(value);
    values.set(key.trim(), parsed === undefined ? value : parsed);
  }
  return { name, arguments: JSON.stringify(Object.fromEntries(values)) };
}
