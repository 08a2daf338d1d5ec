import { CallError } from '#core/errors/call-error.ts';
import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import { expect } from 'vitest';
import { indexOfTexts } from '../index-of-texts.ts';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Words that mean the same have the same direction. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle'],
  ['doctor', 'physician'],
  ['bread', 'loaf'],
  ['汽车', '轿车'],
];

function createModel(language: PassageEmbedder['language'] = 'any') {
  const embedded: string[] = [];
  let failAfter = Infinity;
  const model: PassageEmbedder = {
    id: `test/${language}`,
    language,
    maxChars: 1_000,
    embed: async (texts) => {
      if (embedded.length >= failAfter) throw new CallError('network', 'The model is gone.');
      embedded.push(...texts);
      return texts.map((text) =>
        Float32Array.from([
          ...MEANINGS.map((words) => (words.some((word) => text.includes(word)) ? 1 : 0)),
          0.2,
        ]),
      );
    },
  };
  return {
    model,
    embedded,
    fail: (after: number) => {
      failAfter = after;
    },
  };
}

const filler = Array.from({ length: 30 }, (_, at) => ({
  name: `filler-${at}.txt`,
  text: `This is the page ${at} of the book about nothing that is of any interest.`,
}));

/** The vectors of the index of files over a store. */
export function fileIndexVectorCases(at: StoreUnderTest): void {
  const signal = new AbortController().signal;

  verifies('index:vectors', 'a passage is found by its meaning, in other words', async () => {
    const { model } = createModel();
    const { index, add } = indexOfTexts(at.store.fileIndex, () => model);
    const car = { name: 'one.txt', text: 'The automobile of the neighbour is in the garage.' };
    await add([...filler, car], 'meaning');
    const query = { query: 'a fast car', limit: 3 };
    const { passages, notices } = await index.search(query, 'meaning', signal);
    expect(passages[0]?.file.name).toBe('one.txt');
    expect(notices).toEqual([]);
    // Without them, its words find it nowhere.
    const without = indexOfTexts(at.store.fileIndex).index;
    const words = await without.search({ query: 'a fast car' }, 'meaning', signal);
    expect(words.passages).toEqual([]);
    expect((await index.search({ query: 'car' }, 'meaning-other', signal)).passages).toEqual([]);
  });

  verifies('index:vectors', 'only new passages are embedded, also after a merge', async () => {
    if (at.kind === 'postgres') return;
    const { model, embedded } = createModel();
    const { index, add } = indexOfTexts(at.store.fileIndex, () => model);
    for (let run = 0; run < 10; run += 1) {
      await add([{ name: `${run}.txt`, text: `The loaf number${run} is here.` }], 'merged');
    }
    expect(embedded).toHaveLength(10);
    expect((await at.store.fileIndex.segments('merged')).length).toBeLessThan(9);
    const { passages } = await index.search({ query: 'number7 bread' }, 'merged', signal);
    expect(passages[0]?.file.name).toBe('7.txt');
    await add([{ name: '7.txt', text: 'The physician is here.' }], 'merged');
    expect(embedded.slice(11)).toEqual(['The physician is here.']);
  });

  verifies('index:vectors', 'a failure is a notice, and a later run continues', async () => {
    const { model, embedded, fail } = createModel();
    const { index, add } = indexOfTexts(at.store.fileIndex, () => model);
    fail(0);
    const failed = await add(filler, 'failing');
    expect(failed.notices).toMatchObject([
      { code: 'embeddings_failed', params: { error: { message: 'The model is gone.' } } },
    ]);
    const found = await index.search({ query: 'page interest' }, 'failing', signal);
    expect(found.passages).toHaveLength(10);
    fail(Infinity);
    expect((await add(filler, 'failing')).notices).toEqual([]);
    expect(embedded).toHaveLength(filler.length);
    fail(0);
    const search = await index.search({ query: 'page interest' }, 'failing', signal);
    expect(search.notices).toMatchObject([{ code: 'embeddings_failed' }]);
    expect(search.passages).toHaveLength(10);
  });

  verifies('index:vectors', 'an English model has no vote on other languages', async () => {
    const { model, embedded } = createModel('english');
    const { index, add } = indexOfTexts(at.store.fileIndex, () => model);
    const chinese = Array.from({ length: 20 }, (_, n) => ({
      name: `${n}.txt`,
      text: n === 3 ? '这辆轿车很快。' : `这是关于汽车的第${n}页。`,
    }));
    const german = { name: 'de.txt', text: 'Das Auto des Nachbarn steht heute in der Garage.' };
    await add([...chinese, german, ...filler], 'languages');
    expect(embedded).toEqual(filler.map(({ text }) => text));
    const words = indexOfTexts(at.store.fileIndex).index;
    for (const query of ['汽车有多快', 'Auto Garage', 'car 汽车']) {
      const both = await Promise.all(
        [index, words].map((one) => one.search({ query }, 'languages', signal)),
      );
      expect(both[0]?.passages).toEqual(both[1]?.passages);
    }
  });

  verifies('index:vectors', 'vectors of another model are made again', async () => {
    const first = createModel();
    const { add } = indexOfTexts(at.store.fileIndex, () => first.model);
    await add(filler, 'changed');
    const second = createModel('english');
    const changed = indexOfTexts(at.store.fileIndex, () => second.model);
    expect((await changed.index.search({ query: 'book' }, 'changed', signal)).notices).toEqual([]);
    await changed.add(filler, 'changed');
    expect(second.embedded).toHaveLength(filler.length);
    expect(await at.store.fileIndex.vectorParts('changed', first.model.id)).toEqual([]);
  });
}
