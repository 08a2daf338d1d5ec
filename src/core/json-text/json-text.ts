import type { Json } from '../json/json.ts';
import {
  createPositions,
  faultAtName,
  faultAtSeparator,
  faultAtValue,
  FoundFault,
  OPEN_STRING,
  type JsonFault,
} from './json-fault.ts';

/**
 * A JSON value with its position in the text, from `at` to `end`. JSON.parse gives no positions,
 * and both error messages about settings and in-place editing need them.
 */
export type JsonNode = JsonObjectNode | JsonListNode | JsonScalarNode;

interface Span {
  readonly at: number;
  readonly end: number;
}

export interface JsonObjectNode extends Span {
  readonly type: 'object';
  /** A list, as a name may be repeated. */
  readonly members: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  readonly keyAt: number;
  readonly node: JsonNode;
}

export interface JsonListNode extends Span {
  readonly type: 'array';
  readonly items: readonly JsonNode[];
}

export interface JsonScalarNode extends Span {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
}

/** `comments` allows comments, `lenient` also a comma behind the last value. */
export type JsonDialect = 'strict' | 'comments' | 'lenient';

export interface JsonTextOptions {
  readonly dialect: JsonDialect;
  readonly maxDepth: number;
  readonly repeatedNames: 'refused' | 'kept';
}

export type JsonText =
  | { readonly is: 'read'; readonly root: JsonNode }
  | { readonly is: 'faulty'; readonly fault: JsonFault };

const STRICT: JsonTextOptions = { dialect: 'strict', maxDepth: 64, repeatedNames: 'refused' };

const BLANKS = /[ \t\r\n]*/y;
/** An unclosed block comment is not a comment. */
const BLANKS_AND_COMMENTS = /(?:[ \t\r\n]|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const WORD = /(?:true|false|null)(?!\w)/y;
export const STRING = new RegExp(`${OPEN_STRING.source}"`, 'y');

/**
 * Parses one value; by default exactly what JSON.parse accepts, but without repeated names and deep
 * nesting.
 */
export function readJsonText(text: string, options: Partial<JsonTextOptions> = {}): JsonText {
  const reader: Reader = { ...STRICT, ...options, text, at: 0 };
  try {
    skip(reader);
    if (reader.at === text.length) throw new FoundFault({ code: 'empty' }, reader.at);
    const root = readValue(reader, 0);
    skip(reader);
    if (reader.at < text.length) throw new FoundFault({ code: 'text_after_value' }, reader.at);
    return { is: 'read', root };
  } catch (thrown) {
    if (!(thrown instanceof FoundFault)) throw thrown;
    const { detail, at } = thrown;
    return { is: 'faulty', fault: { ...detail, at, ...createPositions(text)(at) } };
  }
}

/**
 * Converts a node to a plain value. Each name is an own property, including `__proto__`; of
 * repeated names the last wins.
 */
export function jsonValueOf(node: JsonNode): Json {
  switch (node.type) {
    case 'scalar':
      return node.value;
    case 'array':
      return node.items.map(jsonValueOf);
    case 'object':
      return Object.fromEntries(
        node.members.map(({ key, node: value }) => [key, jsonValueOf(value)]),
      );
  }
}

interface Reader extends JsonTextOptions {
  readonly text: string;
  at: number;
}

function readValue(reader: Reader, depth: number): JsonNode {
  skip(reader);
  const { at, maxDepth } = reader;
  if (depth > maxDepth) throw new FoundFault({ code: 'too_deep', maxDepth }, at);
  if (take(reader, '{')) {
    const members = readMembers(reader, depth);
    return { type: 'object', at, end: reader.at, members };
  }
  if (take(reader, '[')) {
    const items = readItems(reader, depth);
    return { type: 'array', at, end: reader.at, items };
  }
  const token = match(reader, STRING) ?? match(reader, NUMBER) ?? match(reader, WORD);
  if (token === undefined) throw faultAtValue(reader.text, at);
  return {
    type: 'scalar',
    at,
    end: reader.at,
    value: JSON.parse(token) as JsonScalarNode['value'],
  };
}

function readItems(reader: Reader, depth: number): JsonNode[] {
  const items: JsonNode[] = [];
  if (take(reader, ']')) return items;
  for (;;) {
    items.push(readValue(reader, depth + 1));
    if (isEnd(reader, ']')) return items;
  }
}

function readMembers(reader: Reader, depth: number): JsonMember[] {
  const members: JsonMember[] = [];
  const known = new Map<string, number>();
  if (take(reader, '}')) return members;
  for (;;) {
    skip(reader);
    const keyAt = reader.at;
    const token = match(reader, STRING);
    if (token === undefined) throw faultAtName(reader.text, keyAt);
    const key = JSON.parse(token) as string;
    const firstAt = known.get(key);
    if (firstAt !== undefined && reader.repeatedNames === 'refused') {
      const { line: firstLine } = createPositions(reader.text)(firstAt);
      throw new FoundFault({ code: 'repeated_name', name: key, firstLine }, keyAt);
    }
    known.set(key, keyAt);
    if (!take(reader, ':')) throw new FoundFault({ code: 'colon_missing' }, reader.at);
    members.push({ key, keyAt, node: readValue(reader, depth + 1) });
    if (isEnd(reader, '}')) return members;
  }
}

/** Moves past the comma behind a value, or past the closing bracket. */
function isEnd(reader: Reader, close: '}' | ']'): boolean {
  if (take(reader, close)) return true;
  if (!take(reader, ',')) throw faultAtSeparator(reader.text, reader.at, close);
  return reader.dialect === 'lenient' && take(reader, close);
}

function skip(reader: Reader): void {
  match(reader, reader.dialect === 'strict' ? BLANKS : BLANKS_AND_COMMENTS);
}

/** Moves past `char` if it is next, blanks skipped. */
function take(reader: Reader, char: string): boolean {
  skip(reader);
  if (reader.text[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}

/** Moves past what a sticky pattern matches here. */
function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}
