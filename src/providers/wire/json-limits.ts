import { CallError } from '#core/call-error.ts';
import type { JsonLimits } from '#core/json-guard.ts';

/** As measured: 100 ns for a number, 10 times that for a name of its own shape; 64 bytes for an empty object. */
const COSTS = { member: 1, string: 1, name: 8, container: 1 } as const;

/** No vendor nests deeper than a schema in a tool call does. */
const MAX_DEPTH = 64;

/** What is built in one go: about 30 ms, and 30 MB beside the text. 64 vectors of 4,096 numbers are within. */
export const ONE_GO: JsonLimits = { maxDepth: MAX_DEPTH, maxCost: 300_000, costs: COSTS };

/** What is built in parts, with pauses: a list of thousands of models, or 64 vectors of 12,000 numbers. */
export const IN_PARTS: JsonLimits = { maxDepth: MAX_DEPTH, maxCost: 1_000_000, costs: COSTS };

/** One string of this size is built within 40 ms, whatever it holds. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

export function tooMuchJson(title: string): CallError {
  const message = `The answer of ${title} is nested too deeply, or has too many members.`;
  return new CallError('bad_response', message, { retry: 'never' });
}

export function tooManyBytes(title: string, maxBytes: number): CallError {
  const megabytes = Math.floor(maxBytes / 1024 / 1024);
  const message = `The answer of ${title} has more than ${megabytes} MB.`;
  return new CallError('bad_response', message, { retry: 'never' });
}
