import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ResultPart, ResultStore } from '#core/stores/results.ts';
import { DAY_MS } from '#core/time/utc-day.ts';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const KEEP_ALL = {
  auditDays: 0,
  turnsDays: 0,
  attemptsDays: 0,
  usageDays: 0,
  jobsDays: 0,
  responsesDays: 0,
  filesDays: 0,
};
/** As parts are cut. */
const PART = 16_384;
const SMILE = '🙂';

/** Texts that were too long for their clients. */
export function resultsCases(at: StoreUnderTest): void {
  let made = 0;
  async function keep(text: string, principal = 'ann') {
    const id = `res_case${String(++made).padStart(4, '0')}` as const;
    const result = { id, principal, tool: 'chat', reqId: `req_${made}` };
    await at.store.results.keep({ ...result, text });
    return { ...result, chars: text.length, createdAt: at.clock.now() };
  }

  async function readAll(id: string, maxChars: number): Promise<string> {
    const pieces: ResultPart[] = [];
    for (let offset = 0; ;) {
      const piece = await at.store.results.read(id, 'ann', offset, maxChars);
      if (!piece || piece.text === '') break;
      expect(piece.offset).toBe(offset);
      expect(piece.text.isWellFormed()).toBe(true);
      pieces.push(piece);
      offset += piece.text.length;
    }
    return pieces.map(({ text }) => text).join('');
  }

  verifies(
    'results:kept',
    'a text is kept whole and read piece by piece, from any place and to its owner alone',
    async () => {
      const text = Array.from({ length: 40_000 }, (_, n) => `line ${n}\n`).join('');
      const kept = await keep(text);
      const read = (...wish: Parameters<ResultStore['read']>) => at.store.results.read(...wish);
      expect(await read(kept.id, 'ann', 0, 10)).toEqual({
        ...kept,
        offset: 0,
        text: text.slice(0, 10),
      });
      for (const offset of [1, PART - 1, PART, PART + 1, 100_000, text.length - 5]) {
        const piece = { ...kept, offset, text: text.slice(offset, offset + 40_000) };
        expect(await read(kept.id, 'ann', offset, 40_000)).toEqual(piece);
      }
      expect(await readAll(kept.id, 50_000)).toBe(text);
      for (const offset of [text.length, text.length + 1, Number.MAX_SAFE_INTEGER]) {
        const end = { ...kept, offset: text.length, text: '' };
        expect(await read(kept.id, 'ann', offset, 10)).toEqual(end);
      }
      expect(await read(kept.id, 'ann', -5, 3)).toEqual({ ...kept, offset: 0, text: 'lin' });
      expect((await read(kept.id, 'ann', 0, Infinity))?.text).toBe(text);
      expect(await read(kept.id, 'bob', 0, 10)).toBeUndefined();
      expect(await read('res_none', 'ann', 0, 10)).toBeUndefined();
      for (const odd of [0.5, Number.NaN]) {
        await expect(read(kept.id, 'ann', odd, 10)).rejects.toMatchObject({ class: 'validation' });
      }
    },
  );

  verifies(
    'results:kept',
    'no character is ever read by halves, wherever parts and pages end',
    async () => {
      // The first pair would lie across the first two parts.
      const text = `${'x'.repeat(PART - 1)}${SMILE.repeat(PART)}y`;
      const kept = await keep(text);
      const read = (...wish: Parameters<ResultStore['read']>) => at.store.results.read(...wish);
      const middle = await read(kept.id, 'ann', PART, 4);
      expect(middle).toMatchObject({ offset: PART - 1, text: SMILE.repeat(2) });
      expect(await read(kept.id, 'ann', PART - 2, 4)).toMatchObject({ text: `x${SMILE}` });
      expect(await read(kept.id, 'ann', PART - 1, 1)).toMatchObject({ text: SMILE });
      expect(await read(kept.id, 'ann', text.length - 2, 9)).toMatchObject({
        offset: text.length - 3,
        text: `${SMILE}y`,
      });
      expect(await readAll(kept.id, 9_999)).toBe(text);
    },
  );

  verifies(
    'results:kept',
    'any text comes back as it was, but for what no engine holds, which leaves its mark',
    async () => {
      const piece = fc.constantFrom(
        'a',
        '世',
        SMILE,
        '\ud83d',
        '\ude42',
        '\0',
        '\u2028',
        '"',
        '\\',
        '%',
        '?',
      );
      const property = fc.asyncProperty(
        fc.array(piece, { maxLength: 40 }),
        fc.nat(2 * PART),
        fc.nat(40_000),
        fc.integer({ min: 2, max: PART }),
        async (pieces, fill, offset, maxChars) => {
          const text = `${'f'.repeat(fill)}${pieces.join('')}`.repeat(2);
          const stored = text.toWellFormed().replaceAll('\0', '\u2400');
          const { id } = await keep(text);
          const found = await at.store.results.read(id, 'ann', offset, maxChars);
          const from = found?.offset ?? -1;
          expect(Math.min(offset, text.length) - from).toBeOneOf([0, 1]);
          expect(found?.text).toBe(stored.slice(from, from + (found?.text.length ?? 0)));
          expect(found?.text.isWellFormed()).toBe(true);
          const left = text.length - from;
          expect(found?.text.length).toBeGreaterThanOrEqual(Math.min(left, maxChars - 1));
          expect(found?.text.length).toBeLessThanOrEqual(maxChars);
          expect(await readAll(id, PART + 7)).toBe(stored);
        },
      );
      await fc.assert(property, { numRuns: 40 });
    },
    60_000,
  );

  verifies(
    'results:kept',
    'what is kept already stays as it is, also when two keep it at once',
    async () => {
      const text = SMILE.repeat(PART);
      const kept = await keep(text);
      const { createdAt: _, chars: __, ...result } = kept;
      at.clock.advance(5);
      await at.store.results.keep({ ...result, text });
      await at.store.results.keep({ ...result, principal: 'bob', text: `x${text}x` });
      expect(await readAll(kept.id, 1000)).toBe(text);
      expect(await at.store.results.read(kept.id, 'ann', 0, 2)).toMatchObject(kept);
      expect(await at.store.results.read(kept.id, 'bob', 0, 2)).toBeUndefined();

      const twin = await at.openTwin();
      const id = 'res_both' as const;
      const texts = ['a'.repeat(3 * PART), 'b'.repeat(2 * PART)];
      await Promise.all(
        [at.store, twin].map(({ results }, n) =>
          results.keep({ ...result, id, text: texts[n] ?? '' }),
        ),
      );
      await twin.close();
      expect(texts).toContain(await readAll(id, PART));
    },
  );

  test('an empty text is kept, too, and one without its owner is not kept at all', async () => {
    const kept = await keep('');
    expect(await at.store.results.read(kept.id, 'ann', 0, 10)).toEqual({
      ...kept,
      offset: 0,
      text: '',
    });
    const nobodys = { id: 'res_nobody', principal: null as never, tool: 't', reqId: 'r' } as const;
    await expect(at.store.results.keep({ ...nobodys, text: 'x' })).rejects.toMatchObject({
      class: 'conflict',
    });
  });

  test('results are listed newest first, page by page', async () => {
    const kept = [];
    for (let n = 0; n < 5; n++) {
      kept.unshift(await keep(`text ${n}`, 'lister'));
      if (n % 2 === 0) at.clock.advance(1);
    }
    const list = (...wish: Parameters<ResultStore['list']>) => at.store.results.list(...wish);
    expect(await list('lister', 3)).toEqual(kept.slice(0, 3));
    expect(await list('lister', 3, kept[2]?.id)).toEqual(kept.slice(3));
    expect(await list('lister', 3, kept[4]?.id)).toEqual([]);
    await expect(list('ann', 3, kept[0]?.id)).rejects.toMatchObject({
      class: 'not_found',
      field: 'before',
    });
  });

  verifies(
    'store:retention',
    'retention takes an old text with all its parts, and leaves a young one whole',
    async () => {
      const old = await keep('o'.repeat(150 * PART));
      at.clock.advance(40 * DAY_MS);
      const young = await keep('y'.repeat(2 * PART));
      expect(await at.store.prune(KEEP_ALL)).toEqual({});
      const removed = await at.store.prune({ ...KEEP_ALL, jobsDays: 30 });
      expect(removed['result_parts']).toBeGreaterThanOrEqual(150);
      expect(removed['results']).toBeGreaterThanOrEqual(1);
      expect(await at.store.results.read(old.id, 'ann', 0, 10)).toBeUndefined();
      expect(await readAll(young.id, PART)).toBe('y'.repeat(2 * PART));
    },
  );
}
