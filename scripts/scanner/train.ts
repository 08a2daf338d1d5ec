/**
 * `npm run train:scanner [-- folder…]`: fits the weights of wordings to labelled definitions, those of
 * `bench/poisoning/corpus` and of the folders given (`*.json` with `entries`, `*.jsonl`), and writes
 * `src/hub/scan/wording/weights.json`.
 */
import { writeFileSync } from 'node:fs';
import { CORPUS, readFolder, toSample } from '../../bench/poisoning/read-corpus.ts';
import { fitWeights } from './fit-weights.ts';

const FILE = 'src/hub/scan/wording/weights.json';
const MAX_FEATURES = 9_000;

const entries = [CORPUS, ...process.argv.slice(2)].flatMap(readFolder);
const { bias, weights } = fitWeights(entries.map(toSample), MAX_FEATURES);
const byWeight = new Map<number, string[]>();
for (const [name, weight] of weights) {
  const same = byWeight.get(weight);
  if (same) same.push(name);
  else byWeight.set(weight, [name]);
}
const sorted = [...byWeight].toSorted(([a], [b]) => b - a);
const lines = sorted.map(([weight, names]) => [String(weight), names.toSorted().join('|')]);
writeFileSync(FILE, `${JSON.stringify({ bias, weights: Object.fromEntries(lines) }, null, 2)}\n`);
console.log(`${entries.length} definitions, ${weights.size} weights: ${FILE}`);
