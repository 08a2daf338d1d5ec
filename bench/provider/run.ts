// A request to a vendor: what it costs us beside bare undici and beside the SDKs of others, on this
// Node and the newest; what it holds in memory; and what estimating tokens costs.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { report, type BenchRow } from '../report.ts';
import { startSubject } from '../mcp-call/subject.ts';
import { callRows, type OnNode } from './calls.ts';
import { estimateRows } from './estimates.ts';
import { memoryRows } from './memory.ts';

const NEWEST = resolve(`test/tools/node_modules/node-${process.platform}-${process.arch}/bin/node`);
const built = resolve('bench/provider/built');
buildSync({
  entryPoints: ['mock-server', 'contender', 'memory-subject'].map((name) =>
    resolve(`bench/provider/${name}.ts`),
  ),
  outdir: built,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
});

const nodes: OnNode[] = [
  { title: `Node ${process.versions.node.split('.')[0]}`, path: process.execPath },
];
if (existsSync(NEWEST)) nodes.push({ title: 'Node 24', path: NEWEST });

const mock = await startSubject([resolve(built, 'mock-server.js')]);
const url = `http://127.0.0.1:${mock.port}`;
const rows: BenchRow[] = [];
try {
  for (const node of nodes) rows.push(...(await callRows(url, node)));
  for (const node of nodes) rows.push(...(await memoryRows(url, node)));
  rows.push(...estimateRows());
  report('provider', rows);
} finally {
  await mock.stop();
}
