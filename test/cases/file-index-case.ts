import { CallError } from '#core/errors/call-error.ts';
import { expect } from 'vitest';
import { indexOfTexts } from '../index-of-texts.ts';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** The index of files over a store. */
export function fileIndexCases(at: StoreUnderTest): void {
  const signal = new AbortController().signal;
  const filler = (name: string, lines: number) =>
    Array.from({ length: lines }, (_, line) => `${name} line ${line} of filler`).join('\n');

  verifies('index:finds', 'passages are found with their places, best first', async () => {
    const { index, add } = indexOfTexts(at.store.fileIndex);
    await add(
      [
        {
          name: 'wings.md',
          text: `# Wings\n\n${filler('a', 300)}\nThe slipstream lifts the wing.`,
        },
        {
          name: 'report.pdf',
          text: '<!-- page 1 -->\n\nCosts.\n\n<!-- page 2 -->\n\nTotal cost: 5,400.',
          is: 'document',
        },
        { name: '系统.txt', text: '本文介绍全文检索系统的设计。' },
      ],
      'finds',
    );
    const find = async (query: string) =>
      (await index.search({ query, limit: 3 }, 'finds', signal)).passages;
    const [lift] = await find('lifting wings in a slipstream');
    expect(lift).toMatchObject({
      file: { name: 'wings.md', source: 'wings.md', state: 'current' },
      heading: 'Wings',
    });
    expect(lift?.place.is === 'lines' && lift.place.to).toBe(303);
    const [cost] = await find('total costs');
    expect(cost).toMatchObject({ place: { is: 'page', number: 2 }, text: 'Total cost: 5,400.' });
    const [chinese] = await find('怎么设计检索系统');
    expect(chinese?.file.name).toBe('系统.txt');
    expect(await find('计')).toHaveLength(1);
    expect(await find('nowhere')).toEqual([]);
    expect(await find('?!')).toEqual([]);
  });

  verifies('index:incremental', 'only a changed file is indexed again', async () => {
    const { index, add } = indexOfTexts(at.store.fileIndex);
    const principal = 'incremental';
    const b = { name: 'b.txt', text: 'A banana.' };
    const first = await add([{ name: 'a.txt', text: 'An apple.' }, b], principal);
    expect(first).toMatchObject({ added: 2, unchanged: 0, passages: 2 });
    const second = await add([{ name: 'a.txt', text: 'An apricot.' }, b], principal);
    expect(second).toMatchObject({ added: 1, unchanged: 1 });
    const names = async (query: string) =>
      (await index.search({ query }, principal, signal)).passages.map(({ file }) => file.name);
    expect(await names('apple')).toEqual([]);
    expect(await names('apricot banana')).toHaveLength(2);
    expect(await index.list(principal)).toHaveLength(2);
    const again = await add([b], principal);
    expect(again).toMatchObject({ added: 0, unchanged: 1 });
  });

  verifies('index:own', 'another principal finds, lists and removes nothing', async () => {
    const { index, add } = indexOfTexts(at.store.fileIndex);
    const change = await add([{ name: 'secret.txt', text: 'The secret ingredient.' }], 'owner-a');
    const ids = change.files.map(({ id }) => id);
    const found = await index.search({ query: 'ingredient', fileIds: ids }, 'owner-b', signal);
    expect(found.passages).toEqual([]);
    expect(await index.list('owner-b')).toEqual([]);
    expect(await index.remove('owner-b', ['secret.txt'])).toEqual([]);
    expect(await index.list('owner-a')).toHaveLength(1);
  });

  verifies(
    'index:finds',
    'files are found until they are removed, also while others search',
    async () => {
      const { index, add } = indexOfTexts(at.store.fileIndex);
      const principal = 'removing';
      const texts = Array.from({ length: 40 }, (_, n) => ({
        name: `docs/${n % 2 === 0 ? 'even' : 'odd'}/${n}.txt`,
        text: `common topic${n}`,
      }));
      await add(texts, principal);
      const [searches, removed] = await Promise.all([
        Promise.all(
          Array.from({ length: 5 }, () =>
            index.search({ query: 'common', limit: 50 }, principal, signal),
          ),
        ),
        index.remove(principal, ['docs/even/']),
      ]);
      expect(removed).toHaveLength(20);
      for (const { passages } of searches) {
        for (const { file, text } of passages)
          expect(text).toBe(`common topic${/\d+/.exec(file.name)?.[0]}`);
      }
      const left = await index.search({ query: 'common', limit: 50 }, principal, signal);
      expect(left.passages).toHaveLength(20);
      expect(left.searched).toEqual({ files: 20, passages: 20 });
    },
  );

  verifies('index:incremental', 'many small runs are merged, and find the same', async () => {
    const { index, add } = indexOfTexts(at.store.fileIndex);
    const principal = 'merging';
    // Each run starts a thread.
    if (at.kind === 'postgres') return;
    for (let run = 0; run < 10; run += 1) {
      await add([{ name: `${run}.txt`, text: `shared word${run}` }], principal);
    }
    expect((await at.store.fileIndex.segments(principal)).length).toBeLessThan(9);
    const all = await index.search({ query: 'shared', limit: 20 }, principal, signal);
    expect(all.passages).toHaveLength(10);
    const [one] = (await index.search({ query: 'word7' }, principal, signal)).passages;
    expect(one?.file.name).toBe('7.txt');
  });

  verifies('index:interrupted', 'a run that ends early leaves nothing that is found', async () => {
    const { index, add } = indexOfTexts(at.store.fileIndex);
    const principal = 'interrupted';
    const { fileIndex } = at.store;
    await add([{ name: 'kept.txt', text: 'kept words' }], principal);
    // What a killed daemon leaves: a file that was begun, and parts of a segment.
    await fileIndex.beginFile(principal, {
      source: 'half.txt',
      name: 'half.txt',
      sha256: '0',
      bytes: 1,
      origin: 'added',
    });
    const segmentId = await fileIndex.beginSegment(principal);
    await fileIndex.saveParts('postings', segmentId, [{ at: 0, bytes: new Uint8Array(10) }]);
    expect(await index.list(principal)).toHaveLength(1);
    expect((await index.search({ query: 'words' }, principal, signal)).passages).toHaveLength(1);
    at.clock.advance(3_600_000);
    await fileIndex.clean(principal);
    expect(await fileIndex.parts('postings', [{ segmentId, at: 0 }])).toEqual([]);
    const abort = new AbortController();
    abort.abort(new CallError('cancelled', 'It was enough.'));
    await expect(add([{ name: 'new.txt', text: 'x' }], principal, abort.signal)).rejects.toThrow(
      'enough',
    );
    expect((await index.search({ query: 'words' }, principal, signal)).passages).toHaveLength(1);
  });

  verifies(
    'index:incremental',
    'what was indexed for a question is removed when it is not used',
    async () => {
      const { index, add } = indexOfTexts(at.store.fileIndex);
      await add([{ name: 'added.txt', text: 'added words' }], 'pruned');
      await at.store.fileIndex.touch('pruned', []);
      expect(await at.store.fileIndex.prune(at.clock.now() + 1)).toBe(0);
      expect(await index.list('pruned')).toHaveLength(1);
    },
  );
}
