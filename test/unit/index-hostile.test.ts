import { expect } from 'vitest';
import { systemClock } from '#app/system.ts';
import { openStore } from '#store/open-store.ts';
import { indexOfTexts } from '../index-of-texts.ts';
import { makeStoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const MAX_PASSAGE_CHARS = 6_400;

/** Texts of a kind, each with a place that is to be found. */
const HOSTILE = [
  {
    name: 'word.txt',
    text: `${'x'.repeat(1_000_000)} needle1 ${'y'.repeat(100)}`,
    query: 'needle1',
  },
  { name: 'line.json', text: `${'{"a":1},'.repeat(1_250_000)}"needle2"`, query: 'needle2' },
  {
    name: 'binary.dat',
    text: `${Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 31) % 256)).toString('latin1')} needle3`,
    query: 'needle3',
  },
  {
    name: 'halves.txt',
    text: `${'\uD800'.repeat(50_000)} needle4 ${'\uDC00'.repeat(50_000)}`,
    query: 'needle4',
  },
  { name: 'cjk.txt', text: `${'天地玄黄宇宙洪荒'.repeat(60_000)}检索系统`, query: '检索系统' },
  {
    name: 'rtl.txt',
    text: `${'هذا نص طويل جدا '.repeat(20_000)}\u202Eالمفتاح\u202C`,
    query: 'المفتاح',
  },
  { name: 'marks.txt', text: `${'e\u0301\u0302\u0303'.repeat(100_000)} needle5`, query: 'needle5' },
  { name: 'lines.txt', text: `${'\n'.repeat(2_000_000)}needle6`, query: 'needle6' },
  { name: '../../<b>name.txt', text: 'needle7', query: 'needle7' },
];

verifies('index:hostile', 'each is found, in passages of bounded length', async () => {
  const home = await makeStoreHome('sqlite');
  const store = await openStore({ ...home, clock: systemClock, writerId: 'writer_a' });
  const { signal } = new AbortController();
  try {
    const { index, add } = indexOfTexts(store.fileIndex);
    expect(await add(HOSTILE)).toMatchObject({ added: HOSTILE.length, notices: [] });
    for (const { name, query } of HOSTILE) {
      const { passages } = await index.search({ query, limit: 3 }, 'local', signal);
      expect(passages[0]?.file.name).toBe(name);
      expect(passages.every(({ text }) => text.length <= MAX_PASSAGE_CHARS)).toBe(true);
    }
    // A query is bounded, too.
    const words = Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' ');
    for (const query of ['z'.repeat(1_000_000), words, '\uD800'.repeat(10_000), '\u0000', ' ']) {
      expect((await index.search({ query }, 'local', signal)).passages).toEqual([]);
    }
  } finally {
    await store.close();
    await home.remove();
  }
});
