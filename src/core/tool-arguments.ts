import { ARGUMENT_LIMITS, isTooMuchJson } from './json-guard.ts';

export type ReadArguments =
  | { readonly is: 'read'; readonly value: Record<string, unknown> }
  /** For the model that wrote them, to do better. */
  | { readonly is: 'unreadable'; readonly because: string };

/** What a model wrote as the arguments of a tool. Models leave them out, fence them, say them twice, and stop in the middle. */
export function readArguments(text: string): ReadArguments {
  const bare = unfence(text.trim());
  if (bare === '') return { is: 'read', value: {} };
  const once = readObject(bare) ?? readObject(firstOfRepeated(bare));
  if (once) return { is: 'read', value: once };
  return { is: 'unreadable', because: whyUnreadable(bare) };
}

/** Whether an object was begun and does not end: whoever wrote it was stopped, and what is there must not be run. */
export function areCutOff(text: string): boolean {
  const read = readArguments(text);
  return read.is === 'unreadable' && read.because === CUT_OFF;
}

const CUT_OFF = 'The arguments are no complete JSON object; they may have been cut off.';

function readObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  // Some vendors send the JSON as a JSON string.
  const inner = typeof value === 'string' ? parse(value) : value;
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    ? (inner as Record<string, unknown>)
    : undefined;
}

function parse(text: string): unknown {
  if (isTooMuchJson(text, ARGUMENT_LIMITS)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: the caller says so.
    return undefined;
  }
}

const FENCE = '```';

/** What stands between the fences; the word behind the first one is no part of it. */
function unfence(text: string): string {
  const isFenced = text.length > 2 * FENCE.length && text.startsWith(FENCE) && text.endsWith(FENCE);
  if (!isFenced) return text;
  const inner = text.slice(FENCE.length, -FENCE.length);
  return (inner.startsWith('json') ? inner.slice('json'.length) : inner).trim();
}

/** `{…}{…}` with both the same is one object said twice. */
function firstOfRepeated(text: string): string | undefined {
  const half = text.length / 2;
  const first = text.slice(0, half).trim();
  return Number.isInteger(half) && first === text.slice(half).trim() ? first : undefined;
}

function whyUnreadable(text: string): string {
  if (!text.startsWith('{')) return 'The arguments must be one JSON object.';
  if (isTooMuchJson(text, ARGUMENT_LIMITS))
    return 'The arguments are nested too deeply, or have too many members.';
  if (parse(`[${text.replaceAll('}{', '},{')}]`) !== undefined)
    return 'The arguments hold several JSON objects; send one, and make several calls if several are meant.';
  return CUT_OFF;
}
