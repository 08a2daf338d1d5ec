import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';

const HOW_TO = 'Write it like: exai call activity lines=20 since=1h';
/** The name ends at the first `=` or `:=`. */
const PAIR = /^([^=]*?)(:?=)(.*)$/s;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

interface CallPair {
  readonly name: string;
  /** `text`: of `name=value`; `json`: of `name:=value`. */
  readonly is: 'text' | 'json';
  readonly value: string;
}

/** Splits `name=value` and `name:=json`. */
export function parseCallPairs(words: readonly string[]): CallPair[] {
  return words.map((word) => {
    const [, name = '', sign = '', value = ''] = PAIR.exec(word) ?? [];
    if (name !== '') return { name, is: sign === '=' ? 'text' : 'json', value };
    throw new CallError('bad_request', `"${oneLine(word, 40)}" is not name=value.`, {
      fix: HOW_TO,
    });
  });
}

/**
 * The arguments that pairs say, typed by the schema of the tool. A value that its type does not
 * allow stays text: the daemon refuses it and names what the tool expects. Without a schema every
 * `name=value` is text.
 */
export function callArgsOf(
  pairs: readonly CallPair[],
  inputSchema: unknown,
): Record<string, unknown> {
  const args = new Map<string, unknown>();
  const properties = member(inputSchema, 'properties');
  for (const { name, is, value } of pairs) {
    const types = typesOf(member(properties, name));
    const isList = is === 'text' && types.has('array') && !types.has('string');
    if (isList && !/^\s*\[/.test(value)) {
      const items = member(member(properties, name), 'items');
      const before = args.get(name);
      args.set(name, [...(Array.isArray(before) ? before : []), typed(value, typesOf(items))]);
      continue;
    }
    if (args.has(name)) {
      throw new CallError('bad_request', `${oneLine(name, 40)} is given twice.`, {
        field: oneLine(name, 40),
        fix: 'Give it once; only a list may be given item by item.',
      });
    }
    const schema = member(properties, name);
    args.set(name, is === 'json' ? jsonOf(name, value) : typed(value, types, textsOf(schema)));
  }
  return Object.fromEntries(args);
}

function typed(
  value: string,
  types: ReadonlySet<string>,
  texts: ReadonlySet<string> | 'any' = 'any',
): unknown {
  // Where that text is allowed, too, the value is what was written.
  if (types.has('string') && (texts === 'any' || texts.has(value))) return value;
  if ((types.has('number') || types.has('integer')) && NUMBER.test(value)) return Number(value);
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  if (types.has('null') && value === 'null') return null;
  if (types.has('array') || types.has('object')) return tryJson(value) ?? value;
  return value;
}

/** The names of the types that a schema allows; empty where it does not say. */
function typesOf(schema: unknown): Set<string> {
  const type = member(schema, 'type');
  const types = new Set([type].flat().filter((each) => typeof each === 'string'));
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = member(schema, key);
    if (!Array.isArray(branches)) continue;
    for (const branch of branches) for (const each of typesOf(branch)) types.add(each);
  }
  const values = [member(schema, 'enum') ?? [], member(schema, 'const') ?? []].flat();
  for (const value of values) types.add(typeof value);
  return types;
}

/** The texts that a schema allows: those that it lists, or any. */
function textsOf(schema: unknown): ReadonlySet<string> | 'any' {
  const values = [member(schema, 'enum') ?? [], member(schema, 'const') ?? []].flat();
  const listed = new Set(values.filter((each) => typeof each === 'string'));
  if (listed.size > 0) return listed;
  if (member(schema, 'type') === 'string') return 'any';
  const branches = ['anyOf', 'oneOf'].flatMap((key) => member(schema, key) ?? []);
  for (const branch of branches) {
    const texts = textsOf(branch);
    if (texts === 'any' && typesOf(branch).has('string')) return 'any';
    if (texts !== 'any') for (const each of texts) listed.add(each);
  }
  return listed.size > 0 ? listed : 'any';
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function jsonOf(name: string, value: string): unknown {
  const parsed = tryJson(value);
  if (parsed !== undefined) return parsed;
  const shown = oneLine(name, 40);
  throw new CallError('validation', `What follows ${shown}:= is not JSON.`, {
    field: shown,
    fix: `For text, write ${shown}=…; for JSON, quote it for the shell, such as: '${shown}:=["a", "b"]'`,
  });
}

/** Undefined if it is not JSON. */
function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
