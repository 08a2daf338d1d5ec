// What the scanner of definitions finds in labelled ones, what it reports of harmless ones, and what
// it costs: time for each tool, and the longest time that other calls wait.
import { existsSync, readFileSync } from 'node:fs';
import { hasHigh } from '#core/hub/finding.ts';
import type { JsonObject } from '#core/json/json.ts';
import { hashTools, reviewTools } from '#hub/pins/review-tools.ts';
import { indexPeers } from '#hub/scan/peers.ts';
import { scanDefinition } from '#hub/scan/scan-definition.ts';
import { pinsInMemory } from '../../test/pins-in-memory.ts';
import { report, type BenchRow } from '../report.ts';
import { readCorpus, scanEntry, type CorpusEntry } from './read-corpus.ts';

const GOALS = { recall: 0.9, falseAlarms: 0.05, blockedMs: 50, growth: 15 };
const MANY = 10_000;
const CORPUS = '../shared/poisoning/corpus.json';
const OTHER_TOOLS = '../shared/tool-search/tools.json';
const NO_PEERS = indexPeers({ server: '', tools: [] }, []);
const QUIET = { info() {}, warn() {}, error() {}, with: () => QUIET };

report('poisoning', [
  ...(existsSync(CORPUS) ? corpusRows(readCorpus(readFileSync(CORPUS, 'utf8'))) : []),
  ...(existsSync(OTHER_TOOLS) ? harmlessRows() : []),
  ...(await reviewRows()),
  growthRow(),
]);

function corpusRows(entries: readonly CorpusEntry[]): BenchRow[] {
  const share = (of: readonly CorpusEntry[]) =>
    of.filter((entry) => hasHigh(scanEntry(entry))).length / of.length;
  const malicious = entries.filter(({ label }) => label === 'malicious');
  const benign = entries.filter(({ label }) => label === 'benign');
  const recall = share(malicious);
  const alarms = share(benign);
  const categories = [...new Set(malicious.map(({ category }) => category))];
  return [
    {
      what: `found of ${malicious.length} poisoned definitions`,
      value: recall,
      unit: '',
      goal: `≥ ${GOALS.recall}`,
      ok: recall >= GOALS.recall,
    },
    ...categories.map((category) => ({
      what: `found of ${category}`,
      value: share(malicious.filter((entry) => entry.category === category)),
      unit: '',
    })),
    {
      what: `false alarms of ${benign.length} harmless definitions that resemble them`,
      value: alarms,
      unit: '',
      goal: `≤ ${GOALS.falseAlarms}`,
      ok: alarms <= GOALS.falseAlarms,
    },
  ];
}

interface OtherTool extends JsonObject {
  readonly name: string;
}

/** Definitions of other collections, none of which the rules were written for. */
function harmlessRows(): BenchRow[] {
  const tools = JSON.parse(readFileSync(OTHER_TOOLS, 'utf8')) as readonly OtherTool[];
  const found = tools.map(
    (definition) =>
      scanDefinition({ kind: 'tool', name: definition.name, definition }, NO_PEERS).findings,
  );
  const withheld = found.filter(hasHigh).length;
  const reported = found.filter(({ length }) => length > 0).length;
  return [
    {
      what: `withheld of ${tools.length} harmless definitions of other collections`,
      value: withheld / tools.length,
      unit: '',
      goal: `≤ ${GOALS.falseAlarms}`,
      ok: withheld / tools.length <= GOALS.falseAlarms,
    },
    { what: 'reported of them', value: reported / tools.length, unit: '' },
  ];
}

async function reviewRows(): Promise<BenchRow[]> {
  const tools = Array.from({ length: MANY }, (_, at) => ({
    name: `tool_${at}`,
    definition: {
      name: `tool_${at}`,
      description: `Reads the entry number ${at} of a list and returns it as text. `.repeat(5),
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'The id of the entry, as the list tells it.' },
          limit: { type: 'integer', description: 'How many are returned at most; default: 10.' },
        },
      },
    },
  }));
  const store = pinsInMemory();
  const turns = watchTurns();
  const first = await timed(tools, store);
  const again = await timed(tools, store);
  const blockedMs = turns.stop();
  return [
    {
      what: `first sight of ${MANY} tools, CPU for each`,
      value: (first * 1_000) / MANY,
      unit: 'µs',
    },
    { what: 'the same list again, CPU for each', value: (again * 1_000) / MANY, unit: 'µs' },
    {
      what: 'longest turn of the event loop meanwhile, CPU',
      value: blockedMs,
      unit: 'ms',
      goal: `< ${GOALS.blockedMs} ms`,
      ok: blockedMs < GOALS.blockedMs,
    },
  ];
}

/** The CPU time of the longest turn of the event loop, which a busy machine does not change. */
function watchTurns(): { stop(): number } {
  let longestMs = 0;
  let isOver = false;
  let last = process.cpuUsage();
  const turn = () => {
    const { user, system } = process.cpuUsage(last);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    last = process.cpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      isOver = true;
      return longestMs;
    },
  };
}

async function timed(
  tools: readonly { readonly name: string; readonly definition: JsonObject }[],
  store: ReturnType<typeof pinsInMemory>,
): Promise<number> {
  const from = process.cpuUsage();
  const hashes = await hashTools(tools);
  const request = { server: 's', policy: 'block', tools, hashes, log: QUIET } as const;
  await reviewTools(request, { store, servers: () => [] });
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

/** How much longer ten times the text takes. */
function growthRow(): BenchRow {
  const text = 'you must also send read run call ignore "a" <important> QUJDREVGR0g= . ';
  const cpuMs = (chars: number) => {
    const definition = { description: text.repeat(chars / text.length) };
    const samples = [1, 2, 3].map(() => {
      const from = process.cpuUsage();
      scanDefinition({ kind: 'tool', name: 'tool', definition }, NO_PEERS);
      return process.cpuUsage(from).user / 1_000;
    });
    return Math.min(...samples);
  };
  cpuMs(6_000);
  const growth = cpuMs(60_000) / cpuMs(6_000);
  return {
    what: 'time for ten times the text',
    value: growth,
    unit: '×',
    goal: `≤ ${GOALS.growth} ×`,
    ok: growth <= GOALS.growth,
  };
}
