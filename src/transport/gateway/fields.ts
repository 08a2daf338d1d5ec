import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { ThinkingMode } from '#core/llm/route.ts';
import { reason } from '#core/messages/reasons.ts';

/** An object in a request body with unvalidated members. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** A `validation` error of a field. */
export function fieldError(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

/** A `validation` error whose message begins with the field: `tools must be a list`. */
export function fieldProblem(field: string, problem: string, fix: string): CallError {
  return codedError('validation', reason('invalid_field', { field, problem }), { field, fix });
}

export function isJsonObject(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a field is missing. Clients also send null for that. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Reads a body that must be an object; `example` is a valid one, for the error. */
export function readBodyObject(value: unknown, example: string): JsonFields {
  if (isJsonObject(value)) return value;
  throw new CallError('bad_request', 'The body must be a JSON object.', {
    field: 'body',
    fix: `Send ${example}.`,
  });
}

export function readObject(value: unknown, field: string): JsonFields {
  if (isJsonObject(value)) return value;
  throw fieldProblem(field, 'must be an object', 'Send a JSON object.');
}

export function readString(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw fieldProblem(field, 'must be a text', 'Send a text.');
}

export function readList(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const is = value === undefined ? 'is missing' : 'must be a list';
  throw fieldProblem(field, `${is}`, 'Send a list.');
}

const OR_NONE = 'Send one, or leave it out.';

/** A number from `min` to `max`; undefined if the field is missing. */
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

/** An integer from `min` to `max`; undefined if the field is missing. */
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

/** More than any context window; a larger limit is a mistake. */
const MAX_TOKENS = 10_000_000;

/** The limit of an answer, in tokens; undefined if the field is missing. */
export function readTokenLimit(value: unknown, field: string): number | undefined {
  return readInteger(value, field, 1, MAX_TOKENS);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

export function readBoolean(value: unknown, field: string): boolean | undefined {
  if (isAbsent(value) || typeof value === 'boolean') return value ?? undefined;
  throw fieldProblem(field, 'must be true or false', OR_NONE);
}

/** One of the known values; undefined if the field is missing. */
export function readChoice<T extends string>(
  value: unknown,
  field: string,
  known: readonly T[],
): T | undefined {
  if (isAbsent(value)) return undefined;
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw fieldProblem(field, `must be ${joinWithOr(known)}`, OR_NONE);
}

function joinWithOr(values: readonly string[]): string {
  const last = values.at(-1) ?? '';
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`;
}

/**
 * Deeper than any real schema. Objects that are passed on are serialised recursively, so their
 * depth is limited.
 */
const MAX_DEPTH = 100;

/** Whether a value is nested too deeply to be passed on. */
export function isTooDeep(value: unknown): boolean {
  return isDeeper(value, MAX_DEPTH);
}

/** Reads an object that is passed on unchanged, with limited depth. */
export function readNestedObject(value: unknown, field: string): JsonObject {
  const object = readObject(value, field);
  if (!isTooDeep(object)) return object as JsonObject;
  const message = `${field} is nested more than ${MAX_DEPTH} deep.`;
  throw fieldError(field, message, 'Make it flatter.');
}

/** Stops at the limit, so that a hostile depth costs nothing. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, levels - 1)) return true;
  return false;
}

const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** Whether a text has visible characters. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

const MODES = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
} as const satisfies Record<string, ThinkingMode>;

export type EffortName = keyof typeof MODES;

/** The reasoning effort, by the names that vendors share; `known` are those of the dialect. */
export function readEffort(
  value: unknown,
  field: string,
  known: readonly EffortName[],
): ThinkingMode | undefined {
  const effort = readChoice(value, field, known);
  return effort && MODES[effort];
}
