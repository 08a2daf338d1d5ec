import { CallError } from '#core/call-error.ts';
import type { JsonObject } from '#core/json.ts';

/** An object of a body, of which nothing else is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function refuse(field: string, message: string, fix?: string): CallError {
  return new CallError('validation', message, { field, ...(fix !== undefined && { fix }) });
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Clients write `null` for what they leave out. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function readFields(value: unknown, field: string): Fields {
  if (isFields(value)) return value;
  throw refuse(field, 'This must be an object.');
}

export function readText(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw refuse(field, 'This must be a text.');
}

export function readList(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw refuse(field, 'This must be a list.');
}

/** A number within both ends; nothing where it is left out. */
export function readNumber(
  value: unknown,
  field: string,
  least: number,
  most: number,
): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw refuse(field, `This must be a number from ${least} to ${most}.`);
}

/** Deeper than anybody's schema. What is passed on as it is gets written down again, and that is recursive. */
const MAX_DEPTH = 100;

/** An object that is passed on as it is. */
export function readShallow(value: unknown, field: string): JsonObject {
  const fields = readFields(value, field);
  if (isDeeper(fields, MAX_DEPTH)) {
    throw refuse(field, `This is nested more than ${MAX_DEPTH} deep.`, 'Make it flatter.');
  }
  return fields as JsonObject;
}

/** Looks no deeper than it has to. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, levels - 1)) return true;
  return false;
}
