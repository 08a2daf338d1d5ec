// A chat through the gateway: what it costs beside bare node:http and undici and beside the
// gateways of others, how long the first word takes, what is held in memory, and whether a thousand
// open streams change that. Every gateway, the vendor and the load are processes of their own.
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { startSubject } from '../mcp-call/subject.ts';
import { report, type BenchRow } from '../report.ts';
import { callRows } from './calls.ts';
import { createStage } from './contenders.ts';
import { openStreamRows } from './open-streams.ts';
import { hasGateways, INSTALL } from './require-gateways.ts';
import { startLoad } from './start-load.ts';

const built = resolve('bench/gateway/built');
buildSync({
  entryPoints: ['vendor', 'floor', 'peer', 'load'].map((name) =>
    resolve(`bench/gateway/${name}.ts`),
  ),
  outdir: built,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
});

const vendor = await startSubject([resolve(built, 'vendor.js')]);
const stage = createStage(`http://127.0.0.1:${vendor.port}`);
const load = await startLoad(resolve(built, 'load.js'));
const rows: BenchRow[] = [];
try {
  const own = [await stage.floor(), ...(await stage.ours())];
  rows.push(...(await callRows([...own, ...(await peers())], load)));
  await stage.clear();
  const [ours] = await stage.ours();
  rows.push(...(await openStreamRows([await stage.floor(), ours], load)));
  report('gateway', rows);
} finally {
  await stage.clear();
  await load.stop();
  await vendor.stop();
}

async function peers() {
  if (hasGateways()) return [await stage.portkey(), await stage.router()];
  console.error(`The gateways of others are left out; to have them: ${INSTALL}`);
  return [];
}
