/**
 * Conversations: whether listing, finding and going on with one costs among a hundred thousand what
 * it costs among a thousand. EXAI_BENCH_SHORT=1 compares with ten thousand.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '#app/system.ts';
import { createIds, type Id } from '#core/ids.ts';
import type { Store } from '#core/stores/store.ts';
import type { Threads } from '#core/threads.ts';
import { openStore } from '#store/open-store.ts';
import { createThreads } from '#threads/create-threads.ts';
import { createListLog } from '../../test/list-log.ts';
import { cpuOfEach, type Work } from '../manager/cpu.ts';
import { report, type BenchRow } from '../report.ts';
import { fillThreads, WORDS } from './fill.ts';

const FEW = 1000;
const MANY = process.env['EXAI_BENCH_SHORT'] === '1' ? 10_000 : 100_000;
/**
 * Conversations that are gone on with, in a store of any size: how long they get must not depend on
 * it.
 */
const CONTINUED = 500;
const PRINCIPAL = 'ann';
const AT_ONCE = 8;
const GOAL = 1.5;

interface Subject {
  readonly store: Store;
  readonly threads: Threads;
  readonly continued: readonly Id<'conv'>[];
}

const dir = mkdtempSync(join(tmpdir(), 'exai-bench-threads-'));

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
  const ids = fillThreads(options.dataDir, count, PRINCIPAL);
  const store = await openStore(options);
  const newId = createIds(systemClock, systemRandom);
  const maxTurns = 100_000;
  const threads = createThreads({ store, clock: systemClock, newId, maxTurns, keptDays: 0 });
  const step = count / CONTINUED;
  return { store, threads, continued: ids.filter((_, index) => index % step === 0) };
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

function works({ threads, continued }: Subject) {
  const find = (word: string) => each(() => threads.search(PRINCIPAL, word, 20));
  return {
    'list of 20': each(() => threads.list(PRINCIPAL, 20)),
    'search for a word of ten conversations': find(WORDS.rare),
    'search for a word of each hundredth one': find(WORDS.some),
    'search for a word of every turn': find(WORDS.common),
    'beginning one: open, keep two turns': each(async (n) => {
      const thread = await threads.open({ principal: 'bob', id: undefined, about: `new ${n}` });
      await thread.append(exchange(n), { model: 'glm-5.3' });
    }),
    'going on with one: open, keep two turns and a state': each(async (n) => {
      const id = continued[(n * 7) % continued.length];
      const thread = await threads.open({ principal: PRINCIPAL, id, about: '' });
      await thread.append(exchange(n), { state: { tool: 'debug', value: { step: n } } });
    }),
  };
}

function exchange(n: number) {
  return [
    { role: 'user', tool: 'chat', content: `and what of ${n}?` },
    { role: 'assistant', tool: 'chat', content: `that is ${n}.`, model: 'glm-5.3' },
  ] as const;
}

const [few, many] = [await subject(FEW), await subject(MANY)];
const [ofFew, ofMany] = [works(few), works(many)];
const rows: BenchRow[] = [];
for (const what of Object.keys(ofFew) as (keyof typeof ofFew)[]) {
  const taken = await cpuOfEach({ few: ofFew[what], many: ofMany[what] });
  const ratio = taken.many / taken.few;
  rows.push({
    what: `${what}, among ${MANY.toLocaleString('en')} (among ${FEW.toLocaleString('en')}: ${taken.few.toPrecision(3)} µs): CPU`,
    value: taken.many,
    unit: 'µs',
    ratio,
    goal: `≤ ${GOAL} ×`,
    ok: ratio <= GOAL,
  });
}
await Promise.all([few.store.close(), many.store.close()]);
rmSync(dir, { recursive: true, force: true });
report('threads', rows);
