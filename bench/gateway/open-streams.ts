// Whether a chunk costs more when many streams are open, and what an open stream weighs.
import { setTimeout as sleep } from 'node:timers/promises';
import { median, type BenchRow } from '../report.ts';
import type { Contender } from './contenders.ts';
import type { Load } from './start-load.ts';

const ROUNDS = 3;
const FEW = 50;
const MANY = 1000;
const FLAT_GOAL = 1.2;
/** For a process to give back what it used for opening them. */
const SETTLE_MS = 2000;
const WINDOW_MS = 5000;
const WARM_UP_CALLS = 400;

/** Of gateways that have served a few clients before, so that only the streams are new. */
export async function openStreamRows(fresh: readonly Contender[], load: Load): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const able: Contender[] = [];
  for (const each of fresh) {
    console.error(`gateway: ${MANY} streams at once, ${each.title}`);
    await load.run({ target: each.target, ask: 'burst', calls: WARM_UP_CALLS, inFlight: 8 });
    const { spoken, eachKb } = await weigh(each, load);
    rows.push(...weightRows(each, spoken, eachKb));
    if (spoken === MANY) able.push(each);
  }
  for (const each of able) rows.push(...(await flatRows(each, load)));
  return rows;
}

async function weigh(
  { target, subject }: Contender,
  load: Load,
): Promise<{ readonly spoken: number; readonly eachKb: number }> {
  await sleep(SETTLE_MS);
  const before = subject.residentMb();
  const spoken = await load.open({ target, streams: MANY });
  await sleep(SETTLE_MS);
  const eachKb = ((subject.residentMb() - before) * 1000) / spoken;
  await load.closeStreams();
  await sleep(SETTLE_MS);
  return { spoken, eachKb };
}

function weightRows({ name, title }: Contender, spoken: number, eachKb: number): BenchRow[] {
  const what = `${title}, ${MANY} streams at once`;
  return [
    {
      what: `${what}: those that speak`,
      value: spoken,
      unit: 'streams',
      ...(name === 'ours' && { goal: 'all of them', ok: spoken === MANY }),
    },
    { what: `${what}: resident memory for each`, value: eachKb, unit: 'kB' },
  ];
}

/** The vendor writes as many events a second whatever the number of streams. */
async function flatRows(contender: Contender, load: Load): Promise<BenchRow[]> {
  const found = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    console.error(`gateway: open streams, ${contender.title}, round ${round + 1} of ${ROUNDS}`);
    found.few.push(await cpuPerEvent(contender, load, FEW));
    found.many.push(await cpuPerEvent(contender, load, MANY));
  }
  const [few, many] = [median(found.few), median(found.many)];
  const ratio = many / few;
  const { name, title } = contender;
  const goal = `≤ ${FLAT_GOAL} × with ${FEW}`;
  return [
    { what: `${title}, ${FEW} open streams: CPU for each chunk`, value: few, unit: 'µs' },
    {
      what: `${title}, ${MANY} open streams: CPU for each chunk`,
      value: many,
      unit: 'µs',
      ratio,
      ...(name === 'ours' && { goal, ok: ratio <= FLAT_GOAL }),
    },
  ];
}

async function cpuPerEvent(
  { target, subject }: Contender,
  load: Load,
  streams: number,
): Promise<number> {
  await load.open({ target, streams });
  await sleep(SETTLE_MS);
  const before = { cpuMs: subject.cpuMs(), events: await load.count() };
  await sleep(WINDOW_MS);
  const after = { cpuMs: subject.cpuMs(), events: await load.count() };
  await load.closeStreams();
  return ((after.cpuMs - before.cpuMs) * 1000) / (after.events - before.events);
}
