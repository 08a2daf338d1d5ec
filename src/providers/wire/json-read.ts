import { ANSWER_LIMITS, parseWithin } from '#core/json-guard.ts';

export { asList, asObject, type Unknown } from '#core/json.ts';

/** Text that is there; an empty one counts as absent. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** More than any counter of a vendor can have reached. */
const MAX_COUNT = 1e12;

/** A whole number from 0 on, also when it came as text. */
export function asCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= MAX_COUNT
    ? Math.trunc(number)
    : undefined;
}

/** Nothing when it is no JSON, or would cost too much to build. */
export function parseJson(text: string): unknown {
  return parseWithin(text, ANSWER_LIMITS);
}

/** As `parseJson`, for a text that was looked over as it came. */
export function parseLooked(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever asked decides what a body that is no JSON means.
    return undefined;
  }
}
