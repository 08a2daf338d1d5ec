import type { JsonObject } from '#core/json.ts';
import { fieldError, readObject } from './fields.ts';

/** Deeper than anybody's schema. What goes on as it is gets written down again, and that is recursive. */
const MAX_DEPTH = 100;

/** Whether a value is nested deeper than it may go on. */
export function isTooDeep(value: unknown): boolean {
  return isDeeper(value, MAX_DEPTH);
}

/** An object that goes on as it is. */
export function readShallow(value: unknown, field: string): JsonObject {
  const given = readObject(value, field);
  if (!isTooDeep(given)) return given as JsonObject;
  const message = `${field} is nested more than ${MAX_DEPTH} deep.`;
  throw fieldError(field, message, 'Make it flatter.');
}

/** Looks no deeper than it has to, so that a hostile depth costs nothing. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const each of Object.values(value)) if (isDeeper(each, levels - 1)) return true;
  return false;
}
