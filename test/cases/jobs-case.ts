import { expect, test } from 'vitest';
import type { Json } from '#core/json/json.ts';
import type { JobRecord, JobStore, Lease } from '#core/stores/jobs.ts';
import type { Store } from '#core/stores/store.ts';
import { DAY_MS } from '#core/time/utc-day.ts';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const KEEP_ALL = {
  auditDays: 0,
  turnsDays: 0,
  attemptsDays: 0,
  usageDays: 0,
  jobsDays: 0,
  responsesDays: 0,
  filesDays: 0,
};
/** Longer than these cases take: leases in PostgreSQL go by the server's clock. */
const LEASE_MS = 600_000;
/** What neither engine holds as it is in a text; in JSON it is kept to the letter. */
const HOSTILE = { text: 'nul \0 half \ud800 whole 🙂 \u2028 "\\u0000', ['__proto__']: [1] };

export const leaseOf = (job: JobRecord | undefined): Lease => {
  if (!job) throw new Error('nothing was claimed');
  return { jobId: job.id, fence: job.fence };
};

/** For `answer`: what it asked, what stands there next, and whether it goes on. */
export function answering(was: Json, next: Json, status: 'input_required' | 'queued') {
  return { was, next, status };
}

/** Other cases may have left something to do; theirs is not ours. */
export async function nothingToDo(jobs: JobStore): Promise<void> {
  await jobs.orphan('sweeper');
  for (let job = await jobs.claim('sweeper', 1); job; job = await jobs.claim('sweeper', 1)) {
    await jobs.finish(leaseOf(job), { status: 'done', result: null });
  }
}

/** Work that goes on without whoever began it. */
export function jobsCases(at: StoreUnderTest): void {
  let made = 0;
  const newJob = (principal = 'ann') => ({
    id: `job_case${String(++made).padStart(4, '0')}` as const,
    principal,
    tool: 'report',
    input: { topic: 'x' },
  });

  verifies('jobs:leased', 'a job is given to one worker at a time and finished once', async () => {
    const { jobs } = at.store;
    const job = newJob();
    await jobs.enqueue({ ...job, title: 'What of x?', note: 'waits' });
    const enqueuedAt = at.clock.now();
    at.clock.advance(5);
    const claims = await Promise.all(['a', 'b', 'c'].map((owner) => jobs.claim(owner, LEASE_MS)));
    const [first, ...others] = claims.filter((claim) => claim !== undefined);
    expect(others).toEqual([]);
    expect(first).toEqual({
      ...job,
      status: 'running',
      title: 'What of x?',
      note: 'waits',
      error: null,
      runs: 1,
      createdAt: enqueuedAt,
      updatedAt: at.clock.now(),
      finishedAt: null,
      checkpoint: null,
      progress: null,
      result: null,
      asks: null,
      fence: 1,
      leaseUntil: expect.any(Number),
    });
    const lease = leaseOf(first);
    const change = { progress: { done: 1 }, checkpoint: [1], note: 'half' };
    expect(await jobs.heartbeat(lease, LEASE_MS, change)).toBe('kept');

    await at.lapse(LEASE_MS + 1);
    const second = await jobs.claim('d', LEASE_MS);
    expect(second).toMatchObject({ id: job.id, runs: 2, fence: 2, ...change });
    expect(await jobs.finish(lease, { status: 'done', result: 'late' })).toBe('lost');
    expect(await jobs.release(lease)).toBe('lost');
    expect(await jobs.ask(lease, ['?'])).toBe('lost');
    expect(await jobs.heartbeat(lease, LEASE_MS, { note: 'late' })).toBe('lost');
    const done = { status: 'done', result: { ok: true } } as const;
    expect(await jobs.finish(leaseOf(second), done)).toBe('kept');
    expect(await jobs.finish(leaseOf(second), { ...done, result: 'twice' })).toBe('lost');
    expect(await jobs.get(job.id, 'ann')).toMatchObject({
      ...done,
      title: 'What of x?',
      note: 'half',
      error: null,
    });
    expect(await jobs.get(job.id, 'bob')).toBeUndefined();
    expect(await jobs.claim('e', LEASE_MS)).toBeUndefined();
  });

  test('a cancelled job tells its worker, and cancelling twice says it is over', async () => {
    const { jobs } = at.store;
    const { id, ...job } = newJob();
    await jobs.enqueue({ id, ...job });
    const lease = leaseOf(await jobs.claim('a', LEASE_MS));
    expect(await jobs.cancel(id, 'ann')).toBe('cancelled');
    expect(await jobs.heartbeat(lease, LEASE_MS)).toBe('lost');
    expect(await jobs.cancel(id, 'ann')).toBe('already_over');
    await expect(jobs.cancel(id, 'bob')).rejects.toMatchObject({ class: 'not_found' });
    await expect(jobs.enqueue({ id, ...job })).rejects.toMatchObject({ class: 'conflict' });
  });

  test('a job that was begun already belongs to who began it, until its lease runs out', async () => {
    const { jobs } = at.store;
    const job = {
      ...newJob(),
      title: 'of a call',
      note: 'begun',
      progress: { chars: 3 },
      checkpoint: { at: 1 },
    };
    const lease = await jobs.adopt(job, 'here', LEASE_MS);
    expect(await jobs.claim('there', LEASE_MS)).toBeUndefined();
    expect(await jobs.get(job.id, 'ann')).toMatchObject({ ...job, status: 'running', runs: 1 });
    await expect(jobs.adopt(job, 'here', LEASE_MS)).rejects.toMatchObject({ class: 'conflict' });
    await at.lapse(LEASE_MS + 1);
    // Late, but nobody else has it.
    expect(await jobs.heartbeat(lease, LEASE_MS)).toBe('kept');
    await at.lapse(LEASE_MS + 1);
    const next = await jobs.claim('there', LEASE_MS);
    expect(next).toMatchObject({ ...job, runs: 2 });
    expect(await jobs.heartbeat(lease, LEASE_MS)).toBe('lost');
    const failed = { status: 'failed', error: { class: 'interrupted', message: 'x' } } as const;
    expect(await jobs.finish(leaseOf(next), { ...failed, result: 'so far' })).toBe('kept');
    expect(await jobs.get(job.id, 'ann')).toMatchObject({ ...failed, result: 'so far' });
  });

  test('a job that is given back goes on where it was with the next who asks', async () => {
    const { jobs } = at.store;
    await jobs.enqueue(newJob());
    const lease = leaseOf(await jobs.claim('a', 60_000));
    expect(await jobs.release(lease, { checkpoint: 7, note: 'given back' })).toBe('kept');
    expect(await jobs.heartbeat(lease, LEASE_MS)).toBe('lost');
    const next = await jobs.claim('b', LEASE_MS);
    // A run that was given back in order is none that was cut off.
    expect(next).toMatchObject({ runs: 1, fence: 2, checkpoint: 7, note: 'given back' });
    expect(await jobs.finish(leaseOf(next), { status: 'done', result: 1 })).toBe('kept');
  });

  test('a job that its owner claims again was not begun the first time, so that counts as one run', async () => {
    const { jobs } = at.store;
    const { id, ...job } = newJob();
    await jobs.enqueue({ id, ...job });
    await jobs.claim('a', LEASE_MS);
    await at.lapse(LEASE_MS + 1);
    expect(await jobs.claim('a', LEASE_MS)).toMatchObject({ id, runs: 1, fence: 2 });
    await at.lapse(LEASE_MS + 1);
    const last = await jobs.claim('b', LEASE_MS);
    expect(last).toMatchObject({ id, runs: 2, fence: 3 });
    await jobs.cancel(id, 'ann');
  });

  test('a heartbeat that tells nothing does not count as a change', async () => {
    const { jobs } = at.store;
    const job = newJob();
    const lease = await jobs.adopt(job, 'a', LEASE_MS);
    const begun = at.clock.now();
    at.clock.advance(10);
    await jobs.heartbeat(lease, LEASE_MS);
    expect(await jobs.get(job.id, 'ann')).toMatchObject({ updatedAt: begun });
    await jobs.heartbeat(lease, LEASE_MS, { progress: null });
    expect(await jobs.get(job.id, 'ann')).toMatchObject({ updatedAt: begun + 10 });
    await jobs.cancel(job.id, 'ann');
  });

  test('a job that asks is held and claimed by nobody until it is answered', async () => {
    const { jobs } = at.store;
    const job = newJob();
    const lease = await jobs.adopt(job, 'a', LEASE_MS);
    const asks = { round: 1, questions: { name: HOSTILE, age: { b: 1, a: 2 } }, answers: {} };
    expect(await jobs.ask(lease, asks, { checkpoint: 'here' })).toBe('kept');
    at.clock.advance(DAY_MS);
    await jobs.orphan('b');
    expect(await jobs.claim('b', LEASE_MS)).toBeUndefined();
    expect(await jobs.heartbeat(lease, LEASE_MS)).toBe('lost');
    const asking = await jobs.get(job.id, 'ann');
    expect(asking).toMatchObject({ status: 'input_required', asks, checkpoint: 'here' });

    const was = asking?.asks ?? null;
    const half = { ...asks, questions: { age: 1 }, answers: { name: 'x' } };
    const answer = answering(was, half, 'input_required');
    expect(await jobs.answer(job.id, 'bob', answer)).toBe('changed');
    expect(await jobs.answer(job.id, 'ann', { ...answer, was: half })).toBe('changed');
    const both = [jobs.answer(job.id, 'ann', answer), jobs.answer(job.id, 'ann', answer)];
    expect((await Promise.all(both)).toSorted()).toEqual(['changed', 'kept']);
    expect(await jobs.claim('b', LEASE_MS)).toBeUndefined();
    const rest = answering(half, ['all'], 'queued');
    expect(await jobs.answer(job.id, 'ann', rest)).toBe('kept');
    expect(await jobs.answer(job.id, 'ann', rest)).toBe('changed');
    const next = await jobs.claim('b', LEASE_MS);
    expect(next).toMatchObject({ id: job.id, asks: ['all'], checkpoint: 'here', runs: 1 });
    expect(await jobs.ask(leaseOf(next), { round: 2 })).toBe('kept');
    expect(await jobs.cancel(job.id, 'ann')).toBe('cancelled');
    const late = answering({ round: 2 }, null, 'queued');
    expect(await jobs.answer(job.id, 'ann', late)).toBe('changed');
  });

  verifies(
    'jobs:leased',
    'whoever knows that all others are gone takes what they had, and keeps its own',
    async () => {
      const { jobs } = at.store;
      const [mine, theirs] = [newJob(), newJob()];
      const kept = await jobs.adopt(mine, 'me', 60_000);
      const taken = await jobs.adopt(theirs, 'dead', 60_000);
      await jobs.orphan('me');
      expect(await jobs.heartbeat(taken, 60_000)).toBe('lost');
      expect(await jobs.finish(taken, { status: 'done', result: 'ghost' })).toBe('lost');
      const next = await jobs.claim('me', LEASE_MS);
      expect(next).toMatchObject({ id: theirs.id, runs: 2 });
      expect(await jobs.claim('me', LEASE_MS)).toBeUndefined();
      for (const lease of [kept, leaseOf(next)]) {
        expect(await jobs.finish(lease, { status: 'done', result: null })).toBe('kept');
      }
    },
  );

  verifies(
    'jobs:leased',
    'of an end and a cancellation at the same moment exactly one counts',
    async () => {
      const { jobs } = at.store;
      for (let n = 0; n < 20; n++) {
        const job = newJob();
        const lease = await jobs.adopt(job, 'a', LEASE_MS);
        const finish = () => jobs.finish(lease, { status: 'done', result: n });
        const cancel = () => jobs.cancel(job.id, 'ann');
        const race = n % 2 === 0 ? [finish(), cancel()] : [cancel(), finish()];
        const said = new Set(await Promise.all(race));
        const { status, result } = (await jobs.get(job.id, 'ann')) ?? {};
        const finished = said.has('kept') && said.has('already_over');
        expect(finished || (said.has('lost') && said.has('cancelled'))).toBe(true);
        expect([status, result]).toEqual(finished ? ['done', n] : ['cancelled', null]);
      }
    },
  );

  verifies('jobs:leased', 'many workers of two daemons get each job once', async () => {
    await nothingToDo(at.store.jobs);
    const count = 60;
    const ids = [];
    for (let n = 0; n < count; n++) {
      const job = newJob('crowd');
      ids.push(job.id);
      await at.store.jobs.enqueue(job);
      at.clock.advance(1);
    }
    const twin = await at.openTwin();
    const given: string[] = [];
    const work = async ({ jobs }: Store, owner: string) => {
      for (let job = await jobs.claim(owner, 60_000); job; job = await jobs.claim(owner, 60_000)) {
        given.push(job.id);
        expect(await jobs.finish(leaseOf(job), { status: 'done', result: owner })).toBe('kept');
      }
    };
    const workers = ['a', 'b', 'c', 'd'].flatMap((name) => [
      work(at.store, `${name}1`),
      work(twin, `${name}2`),
    ]);
    await Promise.all(workers);
    await twin.close();
    expect(given.toSorted()).toEqual(ids);
    const rows = await at.store.jobs.list('crowd', count);
    expect(rows.map(({ status, runs }) => `${status} ${runs}`)).toEqual(ids.map(() => 'done 1'));
  });

  test('a list tells of the newest first, page by page, and of the open ones alone', async () => {
    const { jobs } = at.store;
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) {
      const job = { ...newJob('pages'), input: 'x'.repeat(50_000) };
      ids.unshift(job.id);
      await jobs.enqueue({ ...job, title: `t${n}`, note: `n${n}` });
      // Some have the same age.
      if (n % 2 === 1) at.clock.advance(1);
    }
    const [newest = '', , third = ''] = ids;
    await jobs.cancel(third, 'pages');
    const oldest = await jobs.claim('a', 60_000);
    expect(oldest).toMatchObject({ id: ids.at(-1) });
    expect(await jobs.claim('a', 60_000)).toMatchObject({ id: ids.at(-2) });
    const pages: string[][] = [];
    for (let before: string | undefined; ; before = pages.at(-1)?.at(-1)) {
      const page = await jobs.list('pages', 3, before === undefined ? {} : { before });
      if (page.length === 0) break;
      pages.push(page.map(({ id }) => id));
    }
    expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    const open = async (before: string) =>
      (await jobs.list('pages', 3, { before, open: true })).map(({ id }) => id);
    expect(await open(newest)).toEqual([ids[1], ids[3], ids[4]]);
    expect(await open(third)).toEqual(ids.slice(3, 6));
    const [row] = await jobs.list('pages', 1, { open: true });
    expect(row).toEqual({
      id: newest,
      principal: 'pages',
      tool: 'report',
      status: 'queued',
      title: 't6',
      note: 'n6',
      error: null,
      runs: 0,
      createdAt: at.clock.now(),
      updatedAt: at.clock.now(),
      finishedAt: null,
    });
    expect(await jobs.list('nobody', 3)).toEqual([]);
    await expect(jobs.list('nobody', 3, { before: newest })).rejects.toMatchObject({
      class: 'not_found',
      field: 'before',
    });
    await nothingToDo(jobs);
  });

  test('what a job holds comes back to the letter, whatever it is', async () => {
    const { jobs } = at.store;
    const job = { ...newJob(), input: HOSTILE, checkpoint: HOSTILE, progress: HOSTILE };
    const lease = await jobs.adopt(job, 'a', LEASE_MS);
    expect(await jobs.get(job.id, 'ann')).toMatchObject({
      input: HOSTILE,
      checkpoint: HOSTILE,
      progress: HOSTILE,
    });
    expect(await jobs.finish(lease, { status: 'done', result: [HOSTILE, 0.1, -1e300] })).toBe(
      'kept',
    );
    const read = await jobs.get(job.id, 'ann');
    // What was only needed to run it is gone.
    expect(read).toMatchObject({ input: null, checkpoint: null, asks: null, progress: HOSTILE });
    expect(read?.result).toEqual([HOSTILE, 0.1, -1e300]);
    const noted = newJob();
    const [half, mended] = ['nul \0 half \ud800', 'nul \u2400 half \ufffd'];
    await jobs.enqueue({ ...noted, title: half, note: half });
    expect(await jobs.get(noted.id, 'ann')).toMatchObject({ title: mended, note: mended });
    await jobs.cancel(noted.id, 'ann');
  });

  verifies(
    'store:retention',
    'retention takes what is over or was never answered, and nothing that is still to do',
    async () => {
      const { jobs } = at.store;
      const over = newJob('aged');
      await jobs.finish(await jobs.adopt(over, 'a', LEASE_MS), { status: 'done', result: 1 });
      const [unanswered, answered] = [newJob('aged'), newJob('aged')];
      for (const job of [unanswered, answered])
        await jobs.ask(await jobs.adopt(job, 'a', LEASE_MS), 1);
      const [queued, running] = [newJob('aged'), newJob('aged')];
      await jobs.enqueue(queued);
      await jobs.adopt(running, 'a', LEASE_MS);
      at.clock.advance(20 * DAY_MS);
      const some = answering(1, 2, 'input_required');
      await jobs.answer(answered.id, 'aged', some);
      at.clock.advance(20 * DAY_MS);
      const left = async () => (await jobs.list('aged', 10)).map(({ id }) => id);
      await at.store.prune(KEEP_ALL);
      expect(await left()).toHaveLength(5);
      const removed = await at.store.prune({ ...KEEP_ALL, jobsDays: 30 });
      expect(removed['jobs']).toBeGreaterThanOrEqual(2);
      expect(await left()).toEqual([running.id, queued.id, answered.id]);
      await jobs.cancel(answered.id, 'aged');
      await nothingToDo(jobs);
    },
  );
}
