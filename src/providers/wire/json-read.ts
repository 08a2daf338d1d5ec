import { ANSWER_LIMITS, isTooMuchJson } from '#core/json-guard.ts';

/** What came over the wire, taken for nothing until it was looked at. */
export type Unknown = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): Unknown | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Unknown)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

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
  return isTooMuchJson(text, ANSWER_LIMITS) ? undefined : parseLooked(text);
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
