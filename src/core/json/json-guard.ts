/** Limits of depth and cost for parsing a JSON text. */
export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxCost: number;
  readonly costs: JsonCosts;
  /** What each further name of an object with many members costs in addition. */
  readonly wide?: { readonly from: number; readonly name: number };
}

/** Costs of each comma, string, member name, and opening bracket. */
interface JsonCosts {
  readonly member: number;
  readonly string: number;
  readonly name: number;
  readonly container: number;
}

/**
 * Limits for provider responses, including tool calls. Measured: a number takes 100 ns to build, a
 * member with a new name ten times that, and an empty object 64 bytes, so these limits mean about
 * 30 ms and 30 MB. 64 vectors of 4,096 numbers fit.
 */
export const ANSWER_LIMITS: JsonLimits = {
  maxDepth: 64,
  maxCost: 300_000,
  costs: { member: 1, string: 1, name: 8, container: 1 },
};

/** Limits for texts that are parsed several times. */
export const ARGUMENT_LIMITS: JsonLimits = { ...ANSWER_LIMITS, maxCost: 100_000 };

/** Computes depth and cost of a streamed text without parsing it. */
interface JsonScan {
  /** Whether everything pushed so far is within the limits; stays false once it is not. */
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

/** Shorter texts cannot be deeper than this. */
const CHARS_PER_LEVEL = 2;
/** Events of a stream are shorter. */
const SHORT_CHARS = 2048;

export function isTooComplexJson(text: string, limits: JsonLimits): boolean {
  if (text.length <= CHARS_PER_LEVEL * Math.min(limits.maxDepth, limits.maxCost)) return false;
  if (text.length <= SHORT_CHARS && isSimple(text, limits)) return false;
  return createJsonScan(limits).push(text) === 'too_much';
}

/**
 * Whether a text is within the limits whatever is in its strings: a bound that takes a fraction of
 * the time of a scan.
 */
function isSimple(text: string, { maxDepth, maxCost, costs }: JsonLimits): boolean {
  const { member, string, name, container } = costs;
  if (text.length * Math.max(member, string, name, container) > maxCost) return false;
  let left = maxDepth;
  for (const bracket of ['{', '[']) {
    let at = text.indexOf(bracket);
    for (; at !== -1 && left >= 0; at = text.indexOf(bracket, at + 1)) left -= 1;
  }
  return left >= 0;
}

/** The parsed value; undefined for invalid JSON or beyond the limits. */
export function parseWithin(text: string, limits: JsonLimits): unknown {
  if (isTooComplexJson(text, limits)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON; the caller decides what that means.
    return undefined;
  }
}

/** Whether a text is too deep or too large to parse; such texts can take seconds and gigabytes. */
export function createJsonScan(limits: JsonLimits): JsonScan {
  const state: ScanState = { depth: 0, cost: 0, names: [], isInString: false, isEscaped: false };
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
  /** Names so far of the open object at each depth. */
  readonly names: number[];
  isInString: boolean;
  /** The last piece ended within an escape. */
  isEscaped: boolean;
}

const NEVER_WIDE = { from: Number.POSITIVE_INFINITY, name: 0 };

/** Hot loop: processes every character. */
function isWithin(
  text: string,
  state: ScanState,
  { maxDepth, maxCost, costs, wide = NEVER_WIDE }: JsonLimits,
): boolean {
  const { member, string, name, container } = costs;
  const { names } = state;
  let { depth, cost } = state;
  let at = 0;
  if (state.isInString) at = closeString(text, state.isEscaped ? 1 : 0, state);
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === COMMA) cost += member;
    else if (char === QUOTE) {
      cost += string;
      at = closeString(text, at + 1, state) - 1;
    } else if (char === COLON) {
      const count = (names[depth] ?? 0) + 1;
      names[depth] = count;
      cost += count > wide.from ? name + wide.name : name;
    } else if (char === OPEN_SQUARE || char === OPEN_BRACE) {
      depth += 1;
      names[depth] = 0;
      cost += container;
      if (depth > maxDepth) break;
    } else if (char === CLOSE_SQUARE || char === CLOSE_BRACE) depth -= 1;
    if (cost > maxCost) break;
  }
  state.depth = depth;
  state.cost = cost;
  return depth <= maxDepth && cost <= maxCost;
}

/** The index after the string that contains `from`. */
function closeString(text: string, from: number, state: ScanState): number {
  const { at, isEscaped } = endOfString(text, from);
  state.isInString = at >= text.length;
  state.isEscaped = isEscaped;
  return at + 1;
}

/** Number of characters to check one by one before using `indexOf`, which has a fixed cost. */
const NEAR_CHARS = 64;

/** The closing quote of a string, from an index within it; the end of the text if there is none. */
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

/** `indexOf` is slow for some characters in two-byte strings; this is not. */
function nextSign(text: string, from: number): number {
  SIGN.lastIndex = from;
  return SIGN.test(text) ? SIGN.lastIndex - 1 : text.length;
}

/** Smaller texts are always cheap to parse. */
const LARGE_CHARS = 65_536;

const LIMITS: JsonLimits = {
  // Far deeper than real requests, and shallow enough for recursion.
  maxDepth: 512,
  // A file, a long text or an image is one member; this many take a tenth of a second to build.
  maxCost: 200_000,
  costs: { member: 1, string: 0, name: 0, container: 0 },
  // Names that differ take ten times as long as those that repeat, as in lists of messages: an
  // object has at most about 12,000 members.
  wide: { from: 256, name: 15 },
};

/** Thrown for JSON that is too complex to parse. */
export class JsonTooComplexError extends SyntaxError {}

/** Parses untrusted JSON; large texts are checked against limits first. */
export function parseUntrustedJson(text: string): unknown {
  requireSimpleJson(text);
  return JSON.parse(text);
}

/** Throws a JsonTooComplexError for a large text beyond the limits. */
export function requireSimpleJson(text: string): void {
  if (text.length > LARGE_CHARS && isTooComplexJson(text, LIMITS)) {
    throw new JsonTooComplexError('It is nested too deeply, or has too many members.');
  }
}
