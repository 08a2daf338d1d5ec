import fc from 'fast-check';
import { expect, test } from 'vitest';
import '../../../test/property-seed.ts';
import { decodeVectors, encodeVectors, vectorsOf } from './vector-format.ts';

test('vectors keep their directions, each with its passage', () => {
  const vector = fc.float32Array({ minLength: 8, maxLength: 8, noNaN: true, min: -1, max: 1 });
  fc.assert(
    fc.property(fc.array(fc.array(vector, { maxLength: 4 }), { maxLength: 64 }), (passages) => {
      const packed = decodeVectors(encodeVectors(passages));
      expect([...packed.counts]).toEqual(passages.map(({ length }) => length));
      for (const [at, given] of passages.entries()) {
        for (const [each, vectors] of vectorsOf(packed, at).entries()) {
          const before = given[each] ?? new Float32Array(8);
          const length = Math.hypot(...before);
          if (length < 1e-6) continue;
          for (const [place, value] of vectors.entries()) {
            expect(Math.abs(value - (before[place] ?? 0) / length)).toBeLessThan(0.01);
          }
        }
      }
    }),
    { numRuns: 100 },
  );
});
