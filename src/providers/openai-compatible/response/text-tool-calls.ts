import type { ToolCall } from '#core/llm/chat.ts';
import { asObject, asText, parseJson } from './json.ts';

const TAG = '<tool_call>';
/** Kimi's markers, which its servers usually turn into calls. */
const SECTION = '<|tool_calls_section_begin|>';
const MARK = '<|tool_call_begin|>';
const FENCES = ['```json', '```tool_call', '```'];
/** The first keys of a call's object. */
const KEYS = ['name', 'function', 'arguments', 'parameters', 'type', 'id'].map((key) => `"${key}"`);

/** Whether a text that begins like this may be a tool call that the vendor did not recognise. */
export function mayBeToolCall(beginning: string): boolean {
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

type UnidentifiedCall = Omit<ToolCall, 'id'>;

/**
 * Parses tool calls that a model wrote as text; nothing unless the whole text is calls of known
 * tools.
 */
export function parseTextToolCalls(
  text: string,
  tools: readonly string[],
): readonly UnidentifiedCall[] | undefined {
  const bare = text.trim();
  const isMarked = bare.startsWith(SECTION) || bare.startsWith(MARK);
  let calls: readonly UnidentifiedCall[] | undefined;
  try {
    calls = isMarked ? marked(bare) : bare.startsWith(TAG) ? tagged(bare) : untagged(bare);
  } catch {
    // Nested too deeply to be a call: treated as text.
    return undefined;
  }
  return calls && calls.length > 0 && calls.every(({ name }) => tools.includes(name))
    ? calls
    : undefined;
}

function tagged(text: string): readonly UnidentifiedCall[] | undefined {
  const pieces = text.split(TAG).slice(1);
  const calls = pieces.map((piece) => {
    const inner = piece.split('</tool_call>', 1)[0]?.trim() ?? '';
    if (inner.startsWith('{')) return fromJson(parseJson(inner));
    return fromNamed(inner) ?? fromPairs(inner);
  });
  return whole(calls);
}

/** `functions.name:0`, then the arguments, each after its marker. */
function marked(text: string): readonly UnidentifiedCall[] | undefined {
  const calls = text
    .split(MARK)
    .slice(1)
    .map((piece): UnidentifiedCall | undefined => {
      const [before = '', after] = piece.split('<|tool_call_argument_begin|>', 2);
      const name = /^(?:functions\.)?([\w-]+)(?::\d+)?$/.exec(before.trim())?.[1];
      const argumentsText = after?.split('<|tool_call_end|>', 1)[0]?.trim();
      return name === undefined || argumentsText === undefined
        ? undefined
        : { name, arguments: argumentsText };
    });
  return whole(calls);
}

function untagged(text: string): readonly UnidentifiedCall[] | undefined {
  const fenced = /^```[a-z]*\n([\s\S]*)\n```$/.exec(text)?.[1];
  const value = parseJson(fenced ?? text);
  return whole((Array.isArray(value) ? value : [value]).map(fromJson));
}

function whole(
  calls: readonly (UnidentifiedCall | undefined)[],
): readonly UnidentifiedCall[] | undefined {
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

function fromJson(value: unknown): UnidentifiedCall | undefined {
  const call = asObject(value);
  const fn = asObject(call?.['function']) ?? call;
  const name = asText(fn?.['name']);
  const argumentsText = fn?.['arguments'] ?? fn?.['parameters'];
  if (!fn || name === undefined || argumentsText === undefined) return undefined;
  return {
    name,
    arguments: typeof argumentsText === 'string' ? argumentsText : JSON.stringify(argumentsText),
  };
}

/** The name, followed by the arguments as JSON. */
function fromNamed(text: string): UnidentifiedCall | undefined {
  const brace = text.indexOf('{');
  const argumentsText = brace === -1 ? undefined : text.slice(brace);
  const name = text.slice(0, Math.max(0, brace)).trim();
  if (argumentsText === undefined || name.includes('<') || !asObject(parseJson(argumentsText)))
    return undefined;
  return { name, arguments: argumentsText };
}

/**
 * GLM's notation: the name, then `<arg_key>k</arg_key><arg_value>v</arg_value>` for each argument.
 */
function fromPairs(text: string): UnidentifiedCall | undefined {
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

/** A buffer of text that may turn out to be a tool call. */
export interface PossibleCallBuffer {
  /** The whole buffer once it is clear that it is text; nothing before. */
  take(piece: string): string | undefined;
  /** The buffered text. */
  all(): string;
}

/**
 * By this length it is clear whether a text begins like a call; checking a growing text would take
 * quadratic time.
 */
const HEAD_CHARS = 256;

export function createPossibleCallBuffer(): PossibleCallBuffer {
  const pieces: string[] = [];
  let head = '';
  let isCallLike = false;
  return {
    take(piece) {
      pieces.push(piece);
      if (isCallLike) return undefined;
      head += piece.slice(0, HEAD_CHARS - head.length);
      const isFull = head.length >= HEAD_CHARS;
      if (!mayBeToolCall(head) || (isFull && head.trim() === '')) return pieces.join('');
      isCallLike = isFull;
      return undefined;
    },
    all: () => pieces.join(''),
  };
}
