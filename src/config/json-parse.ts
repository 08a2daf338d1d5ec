import { explainKey, explainSeparator, explainValue } from './json-explain.ts';
import type { JsonMember, JsonNode } from './json-node.ts';
import { createPositions } from './json-position.ts';
import { JsonFault, match, skipBlanks, STRING, take, type Scanner } from './json-scanner.ts';
import { quoteName } from './secret-guard.ts';

// JSON.parse reports no position on some engines and never says where a value stands, and both are needed to point
// at a fault. This accepts exactly what JSON.parse does, except for repeated keys and absurd depth.

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const WORD = /(?:true|false|null)(?!\w)/y;
const MAX_DEPTH = 64;

/** Throws a JsonFault at the first character that cannot be right. */
export function parseJson(text: string): JsonNode {
  const scanner: Scanner = { text, at: 0 };
  const root = readValue(scanner, 0);
  skipBlanks(scanner);
  if (scanner.at < text.length) {
    throw new JsonFault('The file should end here, after its one value', scanner.at);
  }
  return root;
}

function readValue(scanner: Scanner, depth: number): JsonNode {
  skipBlanks(scanner);
  const { at } = scanner;
  if (depth > MAX_DEPTH) throw new JsonFault(`This is nested over ${MAX_DEPTH} levels deep`, at);
  if (take(scanner, '{')) return { type: 'object', at, members: readMembers(scanner, depth) };
  if (take(scanner, '[')) return { type: 'array', at, items: readItems(scanner, depth) };
  const token = match(scanner, STRING) ?? match(scanner, NUMBER) ?? match(scanner, WORD);
  if (token === undefined) throw explainValue(scanner);
  return { type: 'scalar', at, value: JSON.parse(token) as string | number | boolean | null };
}

function readItems(scanner: Scanner, depth: number): JsonNode[] {
  const items: JsonNode[] = [];
  if (take(scanner, ']')) return items;
  for (;;) {
    items.push(readValue(scanner, depth + 1));
    if (take(scanner, ']')) return items;
    if (!take(scanner, ',')) throw explainSeparator(scanner, ']');
  }
}

function readMembers(scanner: Scanner, depth: number): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>();
  if (take(scanner, '}')) return members;
  for (;;) {
    skipBlanks(scanner);
    const keyAt = scanner.at;
    const token = match(scanner, STRING);
    if (token === undefined) throw explainKey(scanner);
    const key = JSON.parse(token) as string;
    const earlier = members.get(key);
    if (earlier) {
      const { line } = createPositions(scanner.text)(earlier.keyAt);
      throw new JsonFault(
        `${quoteName(key)} is here for the second time; the first is on line ${line}`,
        keyAt,
      );
    }
    if (!take(scanner, ':'))
      throw new JsonFault('A colon is missing here, after a name', scanner.at);
    members.set(key, { keyAt, node: readValue(scanner, depth + 1) });
    if (take(scanner, '}')) return members;
    if (!take(scanner, ',')) throw explainSeparator(scanner, '}');
  }
}
