import { wrapperOf } from '../tools/tool-name.ts';
import type { CallRequest } from './calls.ts';
import { METADATA_KEY } from './request-metadata.schema.ts';

type Args = Readonly<Record<string, unknown>>;

/** Longer arguments must be sent as an object, which is parsed with its message. */
const MAX_JSON_CHARS = 1_048_576;

/**
 * Replaces a call of `call_tool` or `call_tool_write` by the call of the tool that it names, so that
 * everything after sees the inner tool. A call whose arguments name none stays as it is, and
 * the wrapper reports what is wrong with them. Other calls stay as they are, and so does an inner
 * call: a wrapper inside a wrapper is refused later.
 */
export function unwrapCall<T extends Pick<CallRequest, 'kind' | 'tool' | 'args' | 'via'>>(
  request: T,
): T {
  const { kind = 'tool', tool, args } = request;
  const via = request.via === undefined && kind === 'tool' ? wrapperOf(tool) : undefined;
  const inner = via && readInnerCall(args);
  return inner ? { ...request, ...inner, via } : request;
}

/** The first is ours, the others those of other hubs. */
const NAMES = ['name', 'tool_slug', 'slug', 'tool'] as const;
const ARGUMENTS = ['arguments', 'params', 'args'] as const;
const KEYS: ReadonlySet<string> = new Set([...NAMES, ...ARGUMENTS, METADATA_KEY]);

interface InnerCall {
  readonly tool: string;
  readonly args: Args;
}

function readInnerCall(args: unknown): InnerCall | undefined {
  if (!isObject(args)) return undefined;
  // Stops at the first other key, as there may be millions.
  for (const key in args) if (!KEYS.has(key)) return undefined;
  const { [METADATA_KEY]: metadata } = args;
  const name = onlyOne(args, NAMES);
  const given = onlyOne(args, ARGUMENTS);
  if (given === AMBIGUOUS) return undefined;
  if (typeof name !== 'string' || name === '') return undefined;
  const inner = readArguments(given);
  if (!inner) return undefined;
  const isMissing = metadata !== undefined && !Object.hasOwn(inner, METADATA_KEY);
  return { tool: name, args: isMissing ? { ...inner, [METADATA_KEY]: metadata } : inner };
}

const AMBIGUOUS = Symbol('ambiguous');

/** The value that is given under one of these names; two are not understood. */
function onlyOne(args: Args, names: readonly string[]): unknown {
  const given = names.filter((name) => Object.hasOwn(args, name));
  return given.length > 1 ? AMBIGUOUS : args[given[0] ?? ''];
}

/** Some models send an object as its JSON text. */
function readArguments(given: unknown): Args | undefined {
  if (given === undefined || given === null || given === '') return {};
  if (isObject(given)) return given;
  if (typeof given !== 'string' || given.length > MAX_JSON_CHARS) return undefined;
  try {
    const parsed: unknown = JSON.parse(given);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Args {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
