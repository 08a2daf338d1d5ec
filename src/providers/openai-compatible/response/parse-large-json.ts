import { createJsonScan, endOfString } from '#core/json/json-guard.ts';
import { LARGE_JSON_LIMITS } from './read-body-text.ts';
import { parseJson, parseCheckedJson } from './json.ts';

type Pause = () => Promise<void>;

/** Cost after which the event loop is yielded: about 10 ms of work. */
const PART_COST = 100_000;
/** Vendors nest their lists in an object or two; deeper large values are refused. */
const MAX_LEVELS = 4;

/**
 * Parses large JSON within `LARGE_JSON_LIMITS`, whose long lists and objects are parsed in parts
 * with pauses in between.
 */
export async function parseLargeJson(text: string, pause: Pause): Promise<unknown> {
  if (!isLarge(text)) return parseJson(text);
  try {
    return await build(text, MAX_LEVELS, pause);
  } catch (thrown) {
    if (thrown instanceof NoJson) return undefined;
    throw thrown;
  }
}

class NoJson extends Error {}

function isLarge(text: string): boolean {
  const scan = createJsonScan({ ...LARGE_JSON_LIMITS, maxCost: PART_COST });
  return scan.push(text) === 'too_much';
}

function parsed(text: string): unknown {
  const value = parseCheckedJson(text);
  if (value === undefined) throw new NoJson();
  return value;
}

async function build(written: string, levels: number, pause: Pause): Promise<unknown> {
  const text = written.trim();
  await pause();
  if (!isLarge(text)) return parsed(text);
  if (levels === 0) throw new NoJson();
  const isList = text.startsWith('[') && text.endsWith(']');
  if (!isList && !(text.startsWith('{') && text.endsWith('}'))) throw new NoJson();
  const list: unknown[] = [];
  const members: [string, unknown][] = [];
  for (const part of partsOf(text.slice(1, -1))) {
    // Only a part with a single member can be large.
    if (!isLarge(part)) {
      await pause();
      if (isList) for (const item of parsed(`[${filled(part)}]`) as unknown[]) list.push(item);
      else members.push(...Object.entries(parsed(`{${filled(part)}}`) as object));
    } else if (isList) {
      list.push(await build(part, levels - 1, pause));
    } else {
      const colon = colonOf(part);
      const name = parsed(part.slice(0, colon));
      if (typeof name !== 'string') throw new NoJson();
      members.push([name, await build(part.slice(colon + 1), levels - 1, pause)]);
    }
  }
  // Defines properties as JSON.parse does, `__proto__` included.
  return isList ? list : Object.fromEntries(members);
}

/** A trailing comma is invalid. */
function filled(part: string): string {
  if (part.trim() === '') throw new NoJson();
  return part;
}

function colonOf(member: string): number {
  const quote = member.indexOf('"');
  const colon = quote === -1 ? -1 : member.indexOf(':', endOfString(member, quote + 1).at);
  if (colon === -1) throw new NoJson();
  return colon;
}

/**
 * Splits the inside of brackets at commas into parts that are small enough, where there are commas.
 */
function* partsOf(inner: string): Generator<string> {
  const { costs } = LARGE_JSON_LIMITS;
  let depth = 0;
  let from = 0;
  let comma = -1;
  /** Cost of the members before the last comma, and of what follows it. */
  let before = 0;
  let after = 0;
  for (let at = 0; at < inner.length; at++) {
    switch (inner.charCodeAt(at)) {
      case 0x22:
        at = endOfString(inner, at + 1).at;
        after += costs.string;
        break;
      case 0x3a:
        after += costs.name;
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        after += costs.container;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        if (depth < 0) throw new NoJson();
        break;
      case 0x2c:
        after += costs.member;
        if (depth > 0) break;
        if (comma >= from && before + after > PART_COST) {
          yield inner.slice(from, comma);
          from = comma + 1;
          before = 0;
        }
        before += after;
        after = 0;
        comma = at;
    }
  }
  if (comma >= from && before + after > PART_COST) {
    yield inner.slice(from, comma);
    from = comma + 1;
  }
  yield inner.slice(from);
}
