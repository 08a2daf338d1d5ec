import { explainKey, explainSeparator, explainValue } from '#config/json-explain.ts';
import { createPositions } from '#config/json-position.ts';
import { JsonFault, match, STRING, type Scanner } from '#config/json-scanner.ts';
import { SettingsFault } from './settings-fault.ts';

/** A value and where it stands: from `at` up to `end`. */
export type Tree = TreeObject | TreeArray | TreeScalar;

interface Span {
  readonly at: number;
  readonly end: number;
}

export interface TreeObject extends Span {
  readonly type: 'object';
  /** A list, as nothing keeps a name from standing twice. */
  readonly members: readonly TreeMember[];
}

export interface TreeMember {
  readonly key: string;
  readonly keyAt: number;
  readonly node: Tree;
}

export interface TreeArray extends Span {
  readonly type: 'array';
  readonly items: readonly Tree[];
}

export interface TreeScalar extends Span {
  readonly type: 'scalar';
}

/** `comments` has those alone, `lenient` a comma behind the last value, too. */
export type Dialect = 'strict' | 'comments' | 'lenient';

const BLANKS = /[ \t\r\n]*/y;
/** A block comment that is not closed is no comment, and explained as what it is. */
const BLANKS_AND_COMMENTS = /(?:[ \t\r\n]|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const WORD = /(?:true|false|null)(?!\w)/y;
const MAX_DEPTH = 400;

/** JSON, or what a dialect makes of it, read into spans. Nothing where the text has no value at all. */
export function readTree(text: string, dialect: Dialect): Tree | undefined {
  const reader: Reader = { text, at: 0, dialect };
  try {
    skip(reader);
    if (reader.at === text.length) return undefined;
    const root = readValue(reader, 0);
    skip(reader);
    if (reader.at === text.length) return root;
    throw new JsonFault('The file should end here, after its one value', reader.at);
  } catch (thrown) {
    if (!(thrown instanceof JsonFault)) throw thrown;
    throw new SettingsFault(thrown.message, createPositions(text)(thrown.at));
  }
}

interface Reader extends Scanner {
  readonly dialect: Dialect;
}

function readValue(reader: Reader, depth: number): Tree {
  skip(reader);
  const { at } = reader;
  if (depth > MAX_DEPTH) throw new JsonFault(`This is nested over ${MAX_DEPTH} levels deep`, at);
  if (take(reader, '{')) {
    const members = readMembers(reader, depth);
    return { type: 'object', at, end: reader.at, members };
  }
  if (take(reader, '[')) {
    const items = readItems(reader, depth);
    return { type: 'array', at, end: reader.at, items };
  }
  const token = match(reader, STRING) ?? match(reader, NUMBER) ?? match(reader, WORD);
  if (token === undefined) throw explainValue(reader);
  return { type: 'scalar', at, end: reader.at };
}

function readItems(reader: Reader, depth: number): Tree[] {
  const items: Tree[] = [];
  if (take(reader, ']')) return items;
  for (;;) {
    items.push(readValue(reader, depth + 1));
    if (take(reader, ']')) return items;
    if (!take(reader, ',')) throw explainSeparator(reader, ']');
    if (reader.dialect === 'lenient' && take(reader, ']')) return items;
  }
}

function readMembers(reader: Reader, depth: number): TreeMember[] {
  const members: TreeMember[] = [];
  if (take(reader, '}')) return members;
  for (;;) {
    skip(reader);
    const keyAt = reader.at;
    const token = match(reader, STRING);
    if (token === undefined) throw explainKey(reader);
    if (!take(reader, ':')) throw new JsonFault('A colon is missing here, after a name', reader.at);
    const node = readValue(reader, depth + 1);
    members.push({ key: JSON.parse(token) as string, keyAt, node });
    if (take(reader, '}')) return members;
    if (!take(reader, ',')) throw explainSeparator(reader, '}');
    if (reader.dialect === 'lenient' && take(reader, '}')) return members;
  }
}

function skip(reader: Reader): void {
  match(reader, reader.dialect === 'strict' ? BLANKS : BLANKS_AND_COMMENTS);
}

/** Moves past `char` if it is next. */
function take(reader: Reader, char: string): boolean {
  skip(reader);
  if (reader.text[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}

/** A comma, or a comment, between two values. */
export interface Mark extends Span {
  readonly is: 'comma' | 'comment';
}

const MARK = /,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;

/** What stands between two values beside blanks. The text must be one that was read. */
export function marksBetween(text: string, from: number, to: number): Mark[] {
  return [...text.slice(from, to).matchAll(MARK)].map(({ 0: found, index }) => ({
    is: found === ',' ? 'comma' : 'comment',
    at: from + index,
    end: from + index + found.length,
  }));
}
