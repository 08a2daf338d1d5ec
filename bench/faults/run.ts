// What a client gets when the first vendor fails and the second is well: through our gateway and
// through those of others, for streams and JSON answers, in the words of a table.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { hasGateways, INSTALL } from '../gateway/require-gateways.ts';
import { report, type BenchRow } from '../report.ts';
import type { FaultName } from './behaviours.ts';
import { allColumns, type Column } from './columns.ts';
import type { Verdict } from './judge.ts';
import { tryFaults, type Fault } from './try-faults.ts';

const STREAMED: readonly FaultName[] = [
  'HTTP 500',
  'HTTP 429',
  'no answer at all',
  'cut before the head',
  'cut before the first token',
  'a head, then silence',
  'an error as the first event',
  'cut after 3 tokens',
  'a clean end after 3 tokens',
  'silence after 3 tokens',
  'an error after 3 tokens',
  'the event of the 4th token is broken',
];
const WHOLE: readonly FaultName[] = [
  'HTTP 500',
  'HTTP 429',
  'no answer at all',
  'cut within the body',
  'a page that is not JSON',
  'an empty answer',
];

buildSync({
  entryPoints: [resolve('bench/gateway/peer.ts')],
  outdir: resolve('bench/faults/built'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
});

if (!hasGateways()) {
  console.error(`The gateways of others are left out; to have them: ${INSTALL}`);
}
const faults: readonly Fault[] = [
  ...STREAMED.map((name) => ({ name, delivery: 'stream' as const })),
  ...WHOLE.map((name) => ({ name, delivery: 'whole' as const })),
];
const columns = allColumns();
const verdicts = await Promise.all(columns.map((column) => tryFaults(column, faults)));
const table = toMarkdown();
mkdirSync('bench/results', { recursive: true });
writeFileSync('bench/results/faults.md', `${table}\n`);
// What is read of this program is its last line; people read this.
console.error(`\n${table}\n`);
report('faults', columns.map(rowOf));

function toMarkdown(): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['the first vendor fails, the backup is well', ...columns.map(({ title }) => title)]),
    line(['---', ...columns.map(() => '---')]),
    ...faults.map(({ name, delivery }, at) =>
      line([
        `${delivery === 'stream' ? 'stream' : 'JSON'}: ${name}`,
        ...verdicts.map((column) => wordsOf(column[at])),
      ]),
    ),
  ].join('\n');
}

function wordsOf(verdict: Verdict | undefined): string {
  if (!verdict) return '';
  const words = verdict.words.replaceAll('|', '\\|');
  return verdict.is === 'good' ? `good: ${words}` : `**bad**: ${words}`;
}

function rowOf({ title, who }: Column, at: number): BenchRow {
  const value = verdicts[at]?.filter(({ is }) => is === 'bad').length ?? faults.length;
  return {
    what: `${title}: faults of ${faults.length} that end badly for the client`,
    value,
    unit: 'faults',
    ...(who === 'ours' && { goal: 'none', ok: value === 0 }),
  };
}
