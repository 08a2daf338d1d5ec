import { CallError } from '#core/call-error.ts';
import { oneLine } from '#core/one-line.ts';

/** A whole number that an option names; nothing when the option was not given. */
export function countOption(
  text: string | undefined,
  option: string,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= max) return count;
  throw new CallError(
    'validation',
    `${option} must be a whole number from 1 to ${max}, but is "${oneLine(text, 40)}".`,
    { field: option },
  );
}
