import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTransientMap } from './transient-map.ts';

test('it holds what a Map would hold, whatever is added and deleted', () => {
  const key = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.string({ maxLength: 12 }),
    fc.constantFrom('__proto__', '1', ''),
  );
  const step = fc.record({ act: fc.constantFrom('add', 'delete'), key });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const brief = createTransientMap<string | number, number>(4);
      const plain = new Map<string | number, number>();
      for (const [index, { act, key: at }] of steps.entries()) {
        if (act === 'delete') {
          brief.delete(at);
          plain.delete(at);
        } else if (!plain.has(at)) {
          brief.add(at, index);
          plain.set(at, index);
        }
        expect(brief.get(at)).toBe(plain.get(at));
        expect(brief.size).toBe(plain.size);
      }
      expect(new Set(brief.values())).toEqual(new Set(plain.values()));
    }),
  );
});
