import { ANSWER_LIMITS, parseWithin } from '#core/json/json-guard.ts';

export { asList, asObject, type Unknown } from '#core/json/json.ts';

/** A string; an empty one counts as absent. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Larger than any real count. */
const MAX_COUNT = 1e12;

/** A non-negative integer, also when given as a string. */
export function asCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= MAX_COUNT
    ? Math.trunc(number)
    : undefined;
}

/** Parses JSON; nothing when it is invalid or too expensive to parse. */
export function parseJson(text: string): unknown {
  return parseWithin(text, ANSWER_LIMITS);
}

/** Parses JSON whose limits were already checked while it arrived. */
export function parseCheckedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller decides what invalid JSON means.
    return undefined;
  }
}
