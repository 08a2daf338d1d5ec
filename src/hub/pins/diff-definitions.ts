import type { Json, JsonObject } from '#core/json/json.ts';
import { pinnedPart } from './hash-definition.ts';

/** One difference between two definitions of a tool. */
export interface DefinitionDifference {
  /** `description`, `inputSchema.properties.path.description`. */
  readonly at: string;
  /** Absent: it was added. */
  readonly before?: string;
  /** Absent: it was removed. */
  readonly after?: string;
}

const MAX_DIFFERENCES = 200;
/** Equal text that is shown around a difference within a text. */
const CONTEXT_CHARS = 60;
const MAX_SHOWN_CHARS = 8_000;
const NO_LEAVES: ReadonlyMap<string, string> = new Map();

/** What differs, by place. Long texts are reduced to their differing part, never the other way. */
export function diffDefinitions(
  before: JsonObject | undefined,
  after: JsonObject,
): readonly DefinitionDifference[] {
  const old = before ? leavesOf(pinnedPart(before)) : NO_LEAVES;
  const now = leavesOf(pinnedPart(after));
  const differences: DefinitionDifference[] = [];
  for (const at of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(at), now.get(at)];
    if (was === is) continue;
    if (was !== undefined && is !== undefined) differences.push({ at, ...differingPart(was, is) });
    else if (is !== undefined) differences.push({ at, after: cut(is) });
    else if (was !== undefined) differences.push({ at, before: cut(was) });
  }
  if (differences.length <= MAX_DIFFERENCES) return differences;
  const more = differences.length - MAX_DIFFERENCES;
  return [...differences.slice(0, MAX_DIFFERENCES), { at: '…', after: `${more} more differences` }];
}

/** The values of a definition by their places. Texts are written without quotes. */
function leavesOf(definition: JsonObject): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: Json, at: string) => {
    if (typeof value !== 'object' || value === null) {
      leaves.set(at, typeof value === 'string' ? value : JSON.stringify(value));
      return;
    }
    const entries = Object.entries(value);
    if (entries.length === 0) leaves.set(at, Array.isArray(value) ? '[]' : '{}');
    for (const [name, each] of entries) visit(each, at === '' ? name : `${at}.${name}`);
  };
  visit(definition, '');
  return leaves;
}

function differingPart(
  was: string,
  is: string,
): { readonly before: string; readonly after: string } {
  let start = 0;
  while (start < was.length && was[start] === is[start]) start += 1;
  let end = 0;
  const shorter = Math.min(was.length, is.length) - start;
  while (end < shorter && was[was.length - 1 - end] === is[is.length - 1 - end]) end += 1;
  const from = start <= CONTEXT_CHARS ? 0 : start - CONTEXT_CHARS;
  const part = (text: string) => {
    const to = Math.min(text.length, text.length - end + CONTEXT_CHARS);
    const shown = text.slice(from, to);
    return cut(`${from > 0 ? '…' : ''}${shown}${to < text.length ? '…' : ''}`.toWellFormed());
  };
  return { before: part(was), after: part(is) };
}

function cut(text: string): string {
  if (text.length <= MAX_SHOWN_CHARS) return text;
  return `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}… (${text.length - MAX_SHOWN_CHARS} more characters)`;
}
