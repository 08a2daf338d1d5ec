import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConversationStore, Turn } from '#core/stores/conversations.ts';
import { forkTitle, readTurns, threadTitle } from './turns.ts';

describe('threadTitle and forkTitle', () => {
  test.each([
    ['Why?', 'Why?'],
    ['  \n\n First\r\nsecond', 'First'],
    ['tabs\tand   blanks\u0007', 'tabs and blanks'],
    ['a\u2028b', 'a'],
    ['safe \u202etxt.exe', 'safe txt.exe'],
    ['x'.repeat(2_000_000), `${'x'.repeat(79)}…`],
    ['x'.repeat(80), 'x'.repeat(80)],
  ])('%.30j is called %.30j', (about, title) => {
    expect(threadTitle(about)).toBe(title);
  });

  test.each(['', ' \n ', '\u0000\u0001', '\u202e'])('%j gives no title', (about) => {
    expect(threadTitle(about)).toBeUndefined();
  });

  test.each([
    ['Skies', 'Skies (fork)'],
    ['Skies (fork)', 'Skies (fork 2)'],
    ['Skies (fork 9)', 'Skies (fork 10)'],
    ['(fork)', '(fork) (fork)'],
    ['x'.repeat(80), `${'x'.repeat(72)}… (fork)`],
    [`${'x'.repeat(72)}… (fork)`, `${'x'.repeat(70)}… (fork 2)`],
  ])('a copy of %.30j is called %.30j', (title, copy) => {
    expect(forkTitle(title)).toBe(copy);
    expect(copy.length).toBeLessThanOrEqual(80);
  });

  test('a surrogate pair is not split', () => {
    expect(threadTitle('🙂'.repeat(60))?.isWellFormed()).toBe(true);
  });
});

describe('readTurns', () => {
  /** Turns of so many characters each, and how many were asked for at a time. */
  function storeOf(lengths: readonly number[]) {
    const pages: number[] = [];
    const all = lengths.map(
      (length, index) => ({ seq: index + 1, content: 'x'.repeat(length), reasoning: '' }) as Turn,
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

    test('come without gaps whatever their length, and no page exceeds the limit by much', async () => {
      const lengths = fc.array(fc.nat({ max: 50 }), { maxLength: 200 });
      await fc.assert(
        fc.asyncProperty(
          lengths,
          fc.nat({ max: 250 }),
          fc.nat({ max: 3_000 }),
          async (...given) => {
            const [sizes, limit, maxChars] = given;
            const seqs = await storeOf(sizes).read(limit, maxChars);
            const first = sizes.length - seqs.length;
            expect(seqs).toEqual(sizes.slice(first).map((_, index) => first + index + 1));
            const chars = sizes.slice(first).reduce((sum, size) => sum + size, 0);
            const isAll = seqs.length === Math.min(limit, sizes.length);
            expect(isAll || chars >= maxChars).toBe(true);
            expect(chars).toBeLessThanOrEqual(maxChars + 32 * 50);
          },
        ),
      );
    });
  });
});
