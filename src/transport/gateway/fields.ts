import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';

/** An object of a body; what its members are is yet to be seen. */
export type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with a member of a body, by its name there. */
export function fieldError(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

/** The same where the message is about the member as such: `tools must be a list`. */
export function fieldProblem(field: string, problem: string, fix: string): CallError {
  return codedError('validation', reason('invalid_field', { field, problem }), { field, fix });
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Clients send null for what they do not mean to send. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** `example`: a body that would be taken. */
export function readBody(value: unknown, example: string): Fields {
  if (isObject(value)) return value;
  throw new CallError('bad_request', 'The body must be a JSON object.', {
    field: 'body',
    fix: `Send ${example}.`,
  });
}

export function readObject(value: unknown, field: string): Fields {
  if (isObject(value)) return value;
  throw fieldProblem(field, 'must be an object', 'Send a JSON object.');
}

export function readText(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw fieldProblem(field, 'must be a text', 'Send a text.');
}

export function readList(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const is = value === undefined ? 'is missing' : 'must be a list';
  throw fieldProblem(field, `${is}`, 'Send a list.');
}

const OR_NONE = 'Send one, or leave it out.';

/** A number within both ends; nothing where it is left out. */
export function readNumber(
  value: unknown,
  field: string,
  min: number,
  max: number,
): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw fieldProblem(field, `must be a number from ${min} to ${max}`, OR_NONE);
}

/** A whole number within both ends; nothing where it is left out. */
export function readInteger(
  value: unknown,
  field: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (isAbsent(value)) return undefined;
  if (isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;
  throw fieldProblem(field, `must be a whole number ${range}`, OR_NONE);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

export function readSwitch(value: unknown, field: string): boolean | undefined {
  if (isAbsent(value) || typeof value === 'boolean') return value ?? undefined;
  throw fieldProblem(field, 'must be true or false', OR_NONE);
}

/** One of the words that are known; nothing where it is left out. */
export function readChoice<T extends string>(
  value: unknown,
  field: string,
  known: readonly T[],
): T | undefined {
  if (isAbsent(value)) return undefined;
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw fieldProblem(field, `must be ${listed(known)}`, OR_NONE);
}

function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
