/**
 * Jobs and results as they are stored: whether listing, claiming and finishing a job, and reading a
 * page of a long text, cost among a hundred thousand what they cost among a thousand.
 * EXAI_BENCH_SHORT=1 compares with ten thousand.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '#app/system.ts';
import { createIds, type Id } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open-store.ts';
import { createListLog } from '../../test/list-log.ts';
import { cpuOfEach, type Work } from '../manager/cpu.ts';
import { median, report, type BenchRow } from '../report.ts';
import { fillJobs, OPEN_JOBS } from './fill.ts';
import { pickUp } from './pick-up.ts';

const FEW = 1000;
const MANY = process.env['EXAI_BENCH_SHORT'] === '1' ? 10_000 : 100_000;
const PRINCIPAL = 'ann';
const OTHER = 'bob';
/** Whose jobs have large answers. */
const LARGE = 'carol';
const AT_ONCE = 8;
const LEASE_MS = 60_000;
const TEXT_CHARS = 2_000_000;
const PAGE_CHARS = 60_000;
const GOAL = 1.5;
const newId = createIds(systemClock, systemRandom);

interface Subject {
  readonly store: Store;
  readonly jobs: readonly string[];
  readonly text: Id<'res'>;
}

const dir = mkdtempSync(join(tmpdir(), 'exai-bench-jobs-'));

async function subject(count: number): Promise<Subject> {
  const home = join(dir, String(count));
  const options = {
    database: '',
    dataDir: join(home, 'data'),
    backupDir: join(home, 'backups'),
    writerId: 'writer_bench',
    clock: systemClock,
    log: createListLog(),
  };
  await (await openStore(options)).close();
  const { jobs } = fillJobs(options.dataDir, count, PRINCIPAL, LARGE);
  const store = await openStore(options);
  const text = newId('res');
  await keep(store, text, TEXT_CHARS);
  return { store, jobs, text };
}

function keep({ results }: Store, id: Id<'res'>, chars: number): Promise<void> {
  const text = 'a line of words that is long enough\n'
    .repeat(Math.ceil(chars / 36))
    .slice(0, chars);
  return results.keep({ id, principal: PRINCIPAL, tool: 'chat', reqId: 'req_1', text });
}

/** Some at once, as a daemon has them. */
function each(work: (n: number) => Promise<unknown>): Work {
  let done = 0;
  return async (times) => {
    for (let left = times; left > 0; left -= AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, left) }, () => work(done++));
      await Promise.all(batch);
    }
  };
}

/** What becomes of every job: it waits, somebody takes it, it ends. */
async function live({ jobs }: Store): Promise<void> {
  const input = { tool: 'consensus', args: { prompt: 'why?' } };
  await jobs.enqueue({ id: newId('job'), principal: OTHER, tool: 'consensus', input });
  const job = await jobs.claim('worker', LEASE_MS);
  if (!job) throw new Error('there was nothing to claim');
  const lease = { jobId: job.id, fence: job.fence };
  await jobs.finish(lease, { status: 'done', result: { answer: 'because' } });
}

function works({ store, jobs, text }: Subject) {
  const last = jobs[Math.floor(jobs.length / 2)] ?? '';
  const page = (offset: number) =>
    each(() => store.results.read(text, PRINCIPAL, offset, PAGE_CHARS));
  return {
    'list of 20 jobs': each(() => store.jobs.list(PRINCIPAL, 20)),
    'list of 20 jobs from the middle on': each(() =>
      store.jobs.list(PRINCIPAL, 20, { before: last }),
    ),
    'list of the 20 jobs that are open': each(() =>
      store.jobs.list(PRINCIPAL, OPEN_JOBS, { open: true }),
    ),
    'a finished job': each((n) => store.jobs.get(jobs[(n * 7919) % jobs.length] ?? '', PRINCIPAL)),
    'a claim when there is nothing to do': each(() => store.jobs.claim('worker', LEASE_MS)),
    'a job from queue to end: enqueue, claim, finish': each(() => live(store)),
    'list of 20 results': each(() => store.results.list(PRINCIPAL, 20)),
    'keeping a text of 100 kB': each(() => keep(store, newId('res'), 100_000)),
    'a page of 60 kB at the start of 2 MB': page(0),
    'a page of 60 kB in the middle of 2 MB': page(TEXT_CHARS / 2),
    'a page of 60 kB at the end of 2 MB': page(TEXT_CHARS - PAGE_CHARS),
  };
}

function flat(what: string, from: string, taken: { few: number; many: number }): BenchRow {
  const ratio = taken.many / taken.few;
  return {
    what: `${what} (${from}: ${taken.few.toPrecision(3)} µs): CPU`,
    value: taken.many,
    unit: 'µs',
    ratio,
    goal: `≤ ${GOAL} ×`,
    ok: ratio <= GOAL,
  };
}

/** Workers that each take the next job as soon as theirs has ended. */
async function jobsPerSecond(store: Store): Promise<number> {
  const perWorker = 150;
  const start = systemClock.monotonic();
  const worker = async () => {
    for (let n = 0; n < perWorker; n++) await live(store);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (AT_ONCE * perWorker * 1000) / (systemClock.monotonic() - start);
}

const [few, many] = [await subject(FEW), await subject(MANY)];
const [ofFew, ofMany] = [works(few), works(many)];
const rows: BenchRow[] = [];
const [among, amongFew] = [MANY, FEW].map((count) => `among ${count.toLocaleString('en')}`);
for (const what of Object.keys(ofFew) as (keyof typeof ofFew)[]) {
  const taken = await cpuOfEach({ few: ofFew[what], many: ofMany[what] });
  rows.push(flat(`${what}, ${among}`, `${amongFew}`, taken));
}
const sizes = await cpuOfEach({
  few: each(() => many.store.jobs.list(PRINCIPAL, 20)),
  many: each(() => many.store.jobs.list(LARGE, 20)),
});
rows.push(flat('list of 20 jobs with answers of 1 MB', 'of 1 kB', sizes));
const ends = await cpuOfEach({
  few: ofMany['a page of 60 kB at the start of 2 MB'],
  many: ofMany['a page of 60 kB at the end of 2 MB'],
});
rows.push(flat('a page at the end of a text', 'at its start', ends));
const rates = { few: [] as number[], many: [] as number[] };
for (let run = 0; run < 5; run++) {
  rates.few.push(await jobsPerSecond(few.store));
  rates.many.push(await jobsPerSecond(many.store));
}
const rate = { few: median(rates.few), many: median(rates.many) };
rows.push({
  what: `durable jobs from queue to end by ${AT_ONCE} workers, ${among} (${amongFew}: ${Math.round(rate.few)})`,
  value: Math.round(rate.many),
  unit: 'jobs/s',
  ratio: rate.many / rate.few,
});
const picked = await pickUp(many.store, OTHER, newId);
rows.push({
  what: `a call in the background, from asked to begun, p50 (until it is stored: ${picked.storedMs.toFixed(2)} ms)`,
  value: picked.begunMs,
  unit: 'ms',
  ratio: picked.begunMs / picked.storedMs,
});
await Promise.all([few.store.close(), many.store.close()]);
rmSync(dir, { recursive: true, force: true });
report('jobs', rows);
