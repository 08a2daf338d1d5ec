/** What a text of JSON may cost to build. */
export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxCost: number;
  readonly costs: JsonCosts;
}

/** Of each comma, string, name of a member, and opening bracket outside strings. */
export interface JsonCosts {
  readonly member: number;
  readonly string: number;
  readonly name: number;
  readonly container: number;
}

/**
 * For what a provider answers, a model's tool calls included. As measured, a number takes 100 ns to build, a member with a name of its own
 * ten times that, and an empty object 64 bytes: this much takes about 30 ms, and 30 MB beside the text. 64 vectors of 4,096 numbers are
 * within.
 */
export const ANSWER_LIMITS: JsonLimits = {
  maxDepth: 64,
  maxCost: 300_000,
  costs: { member: 1, string: 1, name: 8, container: 1 },
};

/** For what is built several times over. */
export const ARGUMENT_LIMITS: JsonLimits = { ...ANSWER_LIMITS, maxCost: 100_000 };

/** Adds up depth and cost of a text that may come in pieces; nothing of it is built. */
export interface JsonScan {
  /** Whether everything pushed so far is within the limits; once it is not, it stays so. */
  push(piece: string): 'within' | 'too_much';
  cost(): number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_SQUARE = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_SQUARE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** No shorter text has more levels than its characters can open and close. */
const CHARS_PER_LEVEL = 2;

export function isTooMuchJson(text: string, limits: JsonLimits): boolean {
  if (text.length <= CHARS_PER_LEVEL * Math.min(limits.maxDepth, limits.maxCost)) return false;
  return createJsonScan(limits).push(text) === 'too_much';
}

/** The value of a text; nothing when it is no JSON or beyond the limits. */
export function parseWithin(text: string, limits: JsonLimits): unknown {
  if (isTooMuchJson(text, limits)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: the caller decides what that means.
    return undefined;
  }
}

/** A deep nest, or millions of members, can cost seconds and gigabytes to build: it is counted before anything is built. */
export function createJsonScan(limits: JsonLimits): JsonScan {
  const state: ScanState = { depth: 0, cost: 0, isInString: false, isEscaped: false };
  let isTooMuch = false;
  return {
    push(piece) {
      isTooMuch ||= !isWithin(piece, state, limits);
      return isTooMuch ? 'too_much' : 'within';
    },
    cost: () => state.cost,
  };
}

interface ScanState {
  depth: number;
  cost: number;
  isInString: boolean;
  /** The piece ended in the middle of an escape. */
  isEscaped: boolean;
}

/** Every character passes here, so what it needs is at hand. */
function isWithin(
  text: string,
  state: ScanState,
  { maxDepth, maxCost, costs }: JsonLimits,
): boolean {
  const { member, string, name, container } = costs;
  let { depth, cost } = state;
  let at = 0;
  if (state.isInString) at = closeString(text, state.isEscaped ? 1 : 0, state);
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === COMMA) cost += member;
    else if (char === QUOTE) {
      cost += string;
      at = closeString(text, at + 1, state) - 1;
    } else if (char === COLON) cost += name;
    else if (char === OPEN_SQUARE || char === OPEN_BRACE) {
      depth += 1;
      cost += container;
      if (depth > maxDepth) break;
    } else if (char === CLOSE_SQUARE || char === CLOSE_BRACE) depth -= 1;
    if (cost > maxCost) break;
  }
  state.depth = depth;
  state.cost = cost;
  return depth <= maxDepth && cost <= maxCost;
}

/** Behind the string that is seen from inside it at `from`. */
function closeString(text: string, from: number, state: ScanState): number {
  const { at, isEscaped } = endOfString(text, from);
  state.isInString = at >= text.length;
  state.isEscaped = isEscaped;
  return at + 1;
}

/** So many characters are looked at one by one before the next sign is searched for: a search costs as much as a few of them. */
const NEAR_CHARS = 64;

/** The quote that closes a string, seen from inside it and from behind an escape; the end of the text when there is none. */
export function endOfString(text: string, from: number): { at: number; isEscaped: boolean } {
  let at = from;
  while (at < text.length) {
    const near = Math.min(at + NEAR_CHARS, text.length);
    for (; at < near; at++) {
      const char = text.charCodeAt(at);
      if (char === QUOTE) return { at, isEscaped: false };
      if (char === BACKSLASH) at += 1;
    }
    if (at < text.length) at = nextSign(text, at);
  }
  return { at: text.length, isEscaped: at > text.length };
}

const SIGN = /["\\]/g;

/** Of a text of two bytes a character `indexOf` is slow for some signs, and this never is. */
function nextSign(text: string, from: number): number {
  SIGN.lastIndex = from;
  return SIGN.test(text) ? SIGN.lastIndex - 1 : text.length;
}
