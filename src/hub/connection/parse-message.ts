import { isTooComplexJson, JsonTooComplexError } from '#core/json/json-guard.ts';

/** Texts of this length are parsed within milliseconds, whatever they contain. */
const SMALL_CHARS = 65_536;

/** Parses a message of a server; throws what is wrong with it. */
export function parseMessage(text: string): unknown {
  if (text.length > SMALL_CHARS && isTooComplexJson(text, MESSAGE_LIMITS)) {
    throw new JsonTooComplexError('It is nested too deeply, or has too many members.');
  }
  return JSON.parse(text);
}

/** Lists of tools have many members; this many take some 50 ms to build. */
const MESSAGE_LIMITS = {
  maxDepth: 512,
  maxCost: 400_000,
  costs: { member: 1, string: 0, name: 0, container: 0 },
};
