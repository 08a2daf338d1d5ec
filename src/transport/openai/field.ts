import { CallError } from '#core/call-error.ts';

/** An object of a body; what its members are is yet to be seen. */
export type Dictionary = Readonly<Record<string, unknown>>;

/** A body is nested this deep at most where it goes on as it is. Writing it down again is recursive. */
export const MAX_DEPTH = 100;

export function isObject(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Clients send null for what they do not mean to send. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

export function readObject(value: unknown, field: string): Dictionary {
  if (isObject(value)) return value;
  throw refuse(field, `${field} must be an object.`, 'Send a JSON object, or leave it out.');
}

export function readNumber(
  value: unknown,
  field: string,
  min: number,
  max: number,
): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  const fix = `Send a number from ${min} to ${max}, or leave it out.`;
  throw refuse(field, `${field} must be a number from ${min} to ${max}.`, fix);
}

export function readCount(
  value: unknown,
  field: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (isAbsent(value)) return undefined;
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max)
    return value as number;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;
  throw refuse(
    field,
    `${field} must be a whole number ${range}.`,
    `Send a whole number ${range}, or leave it out.`,
  );
}

export function readSwitch(value: unknown, field: string): boolean | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'boolean') return value;
  throw refuse(field, `${field} must be true or false.`, 'Send true or false, or leave it out.');
}

export function readChoice<T extends string>(
  value: unknown,
  field: string,
  known: readonly T[],
): T | undefined {
  if (isAbsent(value)) return undefined;
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  const list = known.join(', ');
  throw refuse(field, `${field} must be one of: ${list}.`, `Send one of: ${list}.`);
}

/** Looks no deeper than it has to, so that a hostile depth costs nothing. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, levels - 1)) return true;
  return false;
}
