import { asList } from './json.ts';

const MAX_DIMENSIONS = 65_536;

/**
 * Reads an embedding vector; nothing when it is invalid. Values beyond 32-bit floats would become
 * infinite, which JSON cannot represent.
 */
export function readVector(value: unknown): Float32Array | undefined {
  const numbers = asList(value);
  if (numbers.length === 0 || numbers.length > MAX_DIMENSIONS) return undefined;
  if (!numbers.every((each) => typeof each === 'number')) return undefined;
  const vector = Float32Array.from(numbers as readonly number[]);
  return vector.every(Number.isFinite) ? vector : undefined;
}
