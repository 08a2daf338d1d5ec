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

/** A deep nest, or millions of members, can cost seconds and gigabytes to build: it is counted before anything is built. */
export function createJsonScan({ maxDepth, maxCost, costs }: JsonLimits): JsonScan {
  let depth = 0;
  let cost = 0;
  let isTooMuch = false;
  let isInString = false;
  /** The piece ended in the middle of an escape. */
  let isEscaped = false;

  function push(text: string): 'within' | 'too_much' {
    let at = 0;
    while (at < text.length && !isTooMuch) {
      if (isInString) {
        const from = isEscaped ? at + 1 : at;
        const end = endOfString(text, from);
        isInString = end.at >= text.length;
        isEscaped = end.isEscaped;
        at = end.at + 1;
        continue;
      }
      switch (text.charCodeAt(at)) {
        case QUOTE:
          cost += costs.string;
          isInString = true;
          break;
        case OPEN_SQUARE:
        case OPEN_BRACE:
          depth += 1;
          cost += costs.container;
          break;
        case COMMA:
          cost += costs.member;
          break;
        case COLON:
          cost += costs.name;
          break;
        case CLOSE_SQUARE:
        case CLOSE_BRACE:
          depth -= 1;
      }
      isTooMuch = depth > maxDepth || cost > maxCost;
      at += 1;
    }
    return isTooMuch ? 'too_much' : 'within';
  }

  return { push, cost: () => cost };
}

/** So many characters are looked at one by one before the next quote is searched for: a search costs as much as a few of them. */
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
    if (at >= text.length) break;
    const quote = text.indexOf('"', at);
    const stop = quote === -1 ? text.length : quote;
    let slashes = 0;
    while (stop - 1 - slashes >= at && text.charCodeAt(stop - 1 - slashes) === BACKSLASH)
      slashes += 1;
    const isEscaped = slashes % 2 === 1;
    if (quote === -1) return { at: text.length, isEscaped };
    if (!isEscaped) return { at: quote, isEscaped: false };
    at = quote + 1;
  }
  return { at: text.length, isEscaped: at > text.length };
}
