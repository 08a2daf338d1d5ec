// How well and how fast tools are found, beside plain BM25 and what mcpproxy-go publishes for its own
// search; what an index of 10,000 tools costs.
import { toDocument } from '#tools/search/ranking/tool-document.ts';
import { createToolIndex } from '#tools/search/ranking/tool-index.ts';
import { report, type BenchRow } from '../report.ts';
import { oursOf, plainBm25Of, toTool, type Search } from './rankers.ts';
import { readSets, type BenchQuery, type BenchSet, type BenchTool } from './read-set.ts';

const GOALS = { ndcg: 0.65, recall: 0.72, queryMs: 1, indexMs: 1_500, indexMb: 60 };
const MANY = 10_000;
const PUBLISHED: Readonly<Record<string, { ndcg: number; recall: number }>> = {
  'mcpproxy-go': { ndcg: 0.609, recall: 0.681 },
};

interface Figures {
  readonly ndcg: number;
  readonly recall: number;
  /** The share of queries whose first tool is right. */
  readonly hit: number;
  readonly queryMs: number;
}

function measure(queries: readonly BenchQuery[], search: Search): Figures {
  let [ndcg, recall, hit] = [0, 0, 0];
  const times: number[] = [];
  for (const { query, relevant } of queries) {
    const start = performance.now();
    const found = search(query);
    times.push(performance.now() - start);
    const right = new Set(relevant);
    const gainAt = (at: number) => 1 / Math.log2(at + 2);
    const gain = found.reduce((sum, id, at) => sum + (right.has(id) ? gainAt(at) : 0), 0);
    const ideal = Array.from({ length: Math.min(10, right.size) }, (_, at) => gainAt(at));
    ndcg += gain / ideal.reduce((sum, each) => sum + each, 0);
    hit += right.has(found[0] ?? '') ? 1 : 0;
    recall += found.slice(0, 5).filter((id) => right.has(id)).length / right.size;
  }
  times.sort((a, b) => a - b);
  const queryMs = times[Math.floor(times.length / 2)] ?? 0;
  const meanOf = (sum: number) => sum / queries.length;
  return { ndcg: meanOf(ndcg), recall: meanOf(recall), hit: meanOf(hit), queryMs };
}

function rowsOf({ name, tools, queries }: BenchSet): BenchRow[] {
  const ours = measure(queries, oursOf(tools));
  const plain = measure(queries, plainBm25Of(tools));
  const isGoal = name === 'development';
  const row = (what: string, value: number, goal?: number): BenchRow => ({
    what: `${name}: ${what}`,
    value: Number(value.toFixed(3)),
    unit: '',
    ...(goal !== undefined && { goal: `≥ ${goal}`, ok: value >= goal }),
  });
  const published = PUBLISHED[name];
  return [
    row('nDCG@10', ours.ndcg, isGoal ? GOALS.ndcg : published?.ndcg),
    row('nDCG@10 of plain BM25', plain.ndcg),
    ...(published ? [row('nDCG@10 as published', published.ndcg)] : []),
    row('recall@5', ours.recall, isGoal ? GOALS.recall : published?.recall),
    row('recall@5 of plain BM25', plain.recall),
    ...(published ? [row('recall@5 as published', published.recall)] : []),
    row('hit@1', ours.hit),
    row('hit@1 of plain BM25', plain.hit),
    {
      what: `${name}: a query, median`,
      value: Number(ours.queryMs.toFixed(3)),
      unit: 'ms',
      goal: `< ${GOALS.queryMs}`,
      ok: ours.queryMs < GOALS.queryMs,
    },
  ];
}

function usedMb(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

function manyRows(tools: readonly BenchTool[]): BenchRow[] {
  const many = Array.from({ length: MANY }, (_, at) => tools[at % tools.length] as BenchTool);
  const before = usedMb();
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const index = createToolIndex();
  for (const [at, tool] of many.entries()) index.put(`${tool.id}-${at}`, toDocument(toTool(tool)));
  const elapsed = performance.now() - start;
  const cpuMs = process.cpuUsage(cpu).user / 1_000;
  const mb = usedMb() - before;
  return [
    {
      what: `an index of ${index.size} tools`,
      value: Math.round(elapsed),
      unit: 'ms',
      goal: `< ${GOALS.indexMs}`,
      ok: elapsed < GOALS.indexMs,
    },
    { what: `CPU of an index of ${index.size} tools`, value: Math.round(cpuMs), unit: 'ms' },
    {
      what: `memory of an index of ${index.size} tools`,
      value: Number(mb.toFixed(1)),
      unit: 'MB',
      goal: `< ${GOALS.indexMb}`,
      ok: mb < GOALS.indexMb,
    },
  ];
}

const sets = readSets();
report('tool-search', [
  ...sets.flatMap(rowsOf),
  ...manyRows(sets.find(({ name }) => name === 'development')?.tools ?? sets[0]?.tools ?? []),
]);
