// What large things hold in memory while they pass through the provider.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { median, type BenchRow } from '../report.ts';
import type { OnNode } from './calls.ts';

export type Heavy = 'prompt' | 'upload' | 'stream';

const SHOWN: Record<Heavy, string> = {
  prompt: 'a prompt of 256,000 tokens',
  upload: 'an upload of 100 MB',
  stream: 'a stream of 50,000 chunks',
};
const ROUNDS = 3;
const GOAL_RATIO = 3;
const MEGABYTE = 1e6;

export async function memoryRows(url: string, node: OnNode): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const what of Object.keys(SHOWN) as Heavy[]) {
    const measured: Held[] = [];
    for (let round = 0; round < ROUNDS; round += 1) measured.push(await hold(what, url, node));
    const bytes = measured[0]?.bytes ?? Number.NaN;
    const growth = median(measured.map((each) => each.growth));
    const ratio = growth / bytes;
    rows.push({
      what: `${node.title}, ${SHOWN[what]} (${(bytes / MEGABYTE).toFixed(1)} MB): resident memory at its height over before`,
      value: growth / MEGABYTE,
      unit: 'MB',
      ratio,
      goal: `< ${GOAL_RATIO} × what is sent or received`,
      ok: ratio < GOAL_RATIO,
    });
  }
  return rows;
}

interface Held {
  readonly bytes: number;
  readonly growth: number;
}

async function hold(what: Heavy, url: string, node: OnNode): Promise<Held> {
  const script = resolve('bench/provider/built/memory-subject.js');
  const child = spawn(node.path, ['--expose-gc', script, what, url], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`measuring ${SHOWN[what]} ended with ${code}`);
  return JSON.parse(said) as Held;
}
