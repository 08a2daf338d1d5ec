import { createHash } from 'node:crypto';
import { contentWords } from '../answer/content-words.ts';

/**
 * A vector of length 1: each word, and each three letters of it, has a place and a sign by its
 * hash. So texts that share words are near, those that share stems somewhat, and the same text is
 * always the same vector.
 */
export function embed(text: string, dimensions: number): readonly number[] {
  const vector = new Float64Array(dimensions);
  const add = (token: string, weight: number): void => {
    const digest = createHash('sha1').update(token).digest();
    const place = digest.readUInt32LE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + (digest.readInt8(4) < 0 ? -weight : weight);
  };
  for (const word of contentWords(text)) {
    add(word, 1);
    for (let at = 0; at + 3 <= word.length; at += 1) add(`#${word.slice(at, at + 3)}`, 0.3);
  }
  const length = Math.hypot(...vector);
  if (length === 0) return Array.from(vector, (_, at) => (at === 0 ? 1 : 0));
  return Array.from(vector, (value) => value / length);
}
