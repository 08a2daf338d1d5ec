import { placeholders, type Statement, type Value } from './database.ts';

/** The most that a part holds, in UTF-16 units: small enough that a page reads little more than itself. */
export const PART_CHARS = 16_384;

// Few sizes, so that each stays a prepared statement; none so large that it holds the writer for long.
const PARTS_PER_INSERT = [16, 4, 1] as const;
const INSERTS = new Map(
  PARTS_PER_INSERT.map((parts) => [
    parts,
    `insert into result_parts (result_id, at, text) values ${placeholders(3, parts)}`,
  ]),
);

export interface Part {
  readonly at: number;
  readonly text: string;
}

/** Consecutive pieces that never end in the middle of a character. */
export function cutParts(whole: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < whole.length;) {
    const end = wholeUntil(whole, at + PART_CHARS);
    parts.push({ at, text: whole.slice(at, end) });
    at = end;
  }
  return parts;
}

export function insertParts(resultId: string, parts: readonly Part[]): Statement[] {
  const statements: Statement[] = [];
  for (let from = 0; from < parts.length;) {
    const left = parts.length - from;
    const count = PARTS_PER_INSERT.find((size) => size <= left) ?? 1;
    const params: Value[] = [];
    for (const { at, text } of parts.slice(from, from + count)) params.push(resultId, at, text);
    statements.push({ sql: INSERTS.get(count) ?? '', params });
    from += count;
  }
  return statements;
}

/** Where a text may begin: at `index`, or one earlier if a character would be cut. */
export function wholeFrom(text: string, index: number): number {
  return isInside(text, index) ? index - 1 : index;
}

/** Where a text may end: at `index` or its own end, or one earlier if a character would be cut. */
export function wholeUntil(text: string, index: number): number {
  const end = Math.min(index, text.length);
  return isInside(text, end) ? end - 1 : end;
}

function isInside(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  return isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
