import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConversationStore, Turn } from '#core/stores/conversations.ts';
import { readTurns } from './read-turns.ts';

/** Turns of so many characters each, and how many were asked for at a time. */
function storeOf(lengths: readonly number[]) {
  const pages: number[] = [];
  const all = lengths.map(
    (length, index) => ({ seq: index + 1, content: 'x'.repeat(length) }) as Turn,
  );
  const store: Pick<ConversationStore, 'turns'> = {
    async turns(_id, _principal, limit, beforeSeq = Infinity) {
      pages.push(limit);
      return all.filter(({ seq }) => seq < beforeSeq).slice(-limit);
    },
  };
  const read = async (limit: number, maxChars: number) => {
    const wish = { id: 'conv_1', principal: 'ann', limit, beforeSeq: all.length + 1, maxChars };
    return (await readTurns(store, wish)).map(({ seq }) => seq);
  };
  return { read, pages };
}

const many = (count: number, length: number) => Array.from({ length: count }, () => length);

describe('the newest turns', () => {
  test('are read in pages that grow while the turns are short', async () => {
    const { read, pages } = storeOf(many(100, 10));
    expect(await read(100, 1_000_000)).toHaveLength(100);
    expect(pages).toEqual([4, 32, 32, 32]);
  });

  test('are read one by one where few more of them fit', async () => {
    const { read, pages } = storeOf(many(40, 700));
    expect(await read(40, 4_000)).toHaveLength(6);
    expect(pages).toEqual([4, 2]);
  });

  test('whatever they are, come without gaps and no page goes far beyond the limit', async () => {
    const lengths = fc.array(fc.nat({ max: 50 }), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.nat({ max: 250 }), fc.nat({ max: 3_000 }), async (...given) => {
        const [sizes, limit, maxChars] = given;
        const seqs = await storeOf(sizes).read(limit, maxChars);
        const first = sizes.length - seqs.length;
        expect(seqs).toEqual(sizes.slice(first).map((_, index) => first + index + 1));
        const chars = sizes.slice(first).reduce((sum, size) => sum + size, 0);
        const isAll = seqs.length === Math.min(limit, sizes.length);
        expect(isAll || chars >= maxChars).toBe(true);
        expect(chars).toBeLessThanOrEqual(maxChars + 32 * 50);
      }),
    );
  });
});
