import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#app/system.ts';
import type { Calls } from '#core/calls/calls.ts';
import { openStore } from '#store/open-store.ts';
import { createListLog } from '../../test/list-log.ts';
import { median } from '../report.ts';
import { CALLER, createSubjectCalls } from './subject-calls.ts';

const ROUNDS = 9;
const CALLS = 500;

export interface WritePrice {
  /** One call after the other, CPU per call in µs, with the real store. */
  readonly reading: number;
  readonly changing: number;
}

/** What it costs that a call which changes something is on disk before it is answered. */
export async function measureWritePrice(): Promise<WritePrice> {
  const dataDir = mkdtempSync(join(tmpdir(), 'exai-bench-'));
  const store = await openStore({
    database: '',
    dataDir,
    backupDir: dataDir,
    writerId: 'writer_bench',
    clock: systemClock,
    log: createListLog(),
  });
  const reading = createSubjectCalls(1, store.calls, 'reads');
  const changing = createSubjectCalls(1, store.calls, 'changes');
  const samples = { reading: [] as number[], changing: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const found = { reading: await cpuPerCall(reading), changing: await cpuPerCall(changing) };
    if (round === 0) continue;
    samples.reading.push(found.reading);
    samples.changing.push(found.changing);
  }
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
  return { reading: median(samples.reading), changing: median(samples.changing) };
}

async function cpuPerCall(calls: Calls): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n++) {
    const args = { model: `m${n}` };
    const { error } = await calls.start({
      tool: 'tool_0',
      args,
      caller: CALLER,
      transport: 'ws',
      session: 's',
    }).answer;
    if (error) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}
