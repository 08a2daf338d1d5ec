import { asList } from './json-read.ts';

const MAX_DIMENSIONS = 65_536;

/** An embedding; nothing for what is none. Numbers that only a larger float holds would become infinite, and no JSON can say that. */
export function readVector(value: unknown): Float32Array | undefined {
  const numbers = asList(value);
  if (numbers.length === 0 || numbers.length > MAX_DIMENSIONS) return undefined;
  if (!numbers.every((each) => typeof each === 'number')) return undefined;
  const vector = Float32Array.from(numbers as readonly number[]);
  return vector.every(Number.isFinite) ? vector : undefined;
}
