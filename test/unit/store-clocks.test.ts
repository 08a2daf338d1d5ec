import { afterEach, describe, expect, inject, test } from 'vitest';
import { openStore } from '#store/open-store.ts';
import { leaseOf } from '../cases/jobs-case.ts';
import { callRecord } from '../fixtures/store-content.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { KINDS, makeStoreHome, type Kind } from '../stores.ts';
import { verifies } from '../verifies.ts';

const DAY_MS = 86_400_000;
const YEARS_MS = 3650 * DAY_MS;
const LEASE_MS = 600_000;
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function openWith(kind: Kind, ...clocks: readonly FakeClock[]) {
  const home = await makeStoreHome(kind);
  ends.push(() => home.remove());
  const stores = [];
  for (const clock of clocks) {
    const store = await openStore({ ...home, clock, writerId: 'writer_a' });
    ends.push(() => store.close());
    stores.push(store);
  }
  return stores;
}

const job = (id: string) => ({ id: `job_${id}`, principal: 'ann', tool: 't', input: 1 }) as const;

describe.runIf(inject('postgresUrl') !== '')('two daemons with one PostgreSQL', () => {
  for (const [who, aheadMs] of [
    ['a minute', 60_000],
    ['ten years', YEARS_MS],
  ] as const) {
    verifies(
      'jobs:store-clock',
      `a daemon whose clock is ${who} ahead takes no job of the other, which renews its lease`,
      async () => {
        const now = Date.now();
        const [ours, theirs] = await openWith(
          'postgres',
          createFakeClock(now),
          createFakeClock(now + aheadMs),
        );
        if (!ours || !theirs) throw new Error('no stores');
        const adopted = await ours.jobs.adopt(job('1'), 'ours', LEASE_MS);
        await ours.jobs.enqueue(job('2'));
        const claimed = leaseOf(await ours.jobs.claim('ours', LEASE_MS));
        expect(await theirs.jobs.claim('theirs', LEASE_MS)).toBeUndefined();
        for (const lease of [adopted, claimed]) {
          expect(await ours.jobs.heartbeat(lease, LEASE_MS)).toBe('kept');
        }
        expect(await theirs.jobs.claim('theirs', LEASE_MS)).toBeUndefined();
      },
    );

    test(`a job of a killed daemon whose clock was ${who} ahead is free when its lease ends`, async () => {
      const now = Date.now();
      const [ours, theirs] = await openWith(
        'postgres',
        createFakeClock(now),
        createFakeClock(now + aheadMs),
      );
      if (!ours || !theirs) throw new Error('no stores');
      await theirs.jobs.enqueue(job('1'));
      expect(await theirs.jobs.claim('theirs', 1)).toMatchObject({ runs: 1 });
      await expect.poll(() => ours.jobs.claim('ours', LEASE_MS)).toMatchObject({ runs: 2 });
    });
  }
});

verifies(
  'jobs:store-clock',
  'the lease of a single daemon lasts as long as it runs, whatever its clock does',
  async () => {
    const clock = createFakeClock();
    const [store] = await openWith('sqlite', clock);
    if (!store) throw new Error('no store');
    await store.jobs.enqueue(job('1'));
    const lease = leaseOf(await store.jobs.claim('me', LEASE_MS));
    for (const jumpMs of [YEARS_MS, -2 * YEARS_MS, DAY_MS]) {
      clock.jump(jumpMs);
      expect(await store.jobs.claim('other', LEASE_MS)).toBeUndefined();
      expect(await store.jobs.heartbeat(lease, LEASE_MS)).toBe('kept');
    }
    clock.advance(LEASE_MS + 1);
    expect(await store.jobs.claim('other', LEASE_MS)).toMatchObject({ runs: 2 });
  },
);

describe.each(KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== ''))(
  'lists on %s',
  (kind) => {
    verifies(
      'store:list-order',
      'the newest job and the conversation that was used last are first, also after the clock went back',
      async () => {
        const clock = createFakeClock();
        const [store] = await openWith(kind, clock);
        if (!store) throw new Error('no store');
        const { calls, jobs, conversations } = store;
        const say = (content: string) => [{ role: 'user' as const, tool: 'chat', content }];
        for (const [id, jumpMs] of [
          ['a', 0],
          ['b', YEARS_MS],
          ['c', -YEARS_MS - DAY_MS],
          ['d', 1],
        ] as const) {
          clock.jump(jumpMs);
          await jobs.enqueue(job(id));
          await calls.record(callRecord(`req_${id}`, clock.now()));
          await conversations.create({ id: `conv_${id}`, principal: 'ann', title: id });
        }
        const listed = await calls.list({ limit: 3 });
        expect(listed.map(({ reqId }) => reqId)).toEqual(['req_d', 'req_c', 'req_b']);
        const since = await calls.list({
          limit: 4,
          sinceMs: 0,
          principal: listed[0]?.principal ?? '',
        });
        expect(since.map(({ reqId }) => reqId)).toEqual(['req_d', 'req_c', 'req_b', 'req_a']);
        const jobIds = async (before?: string) =>
          (await jobs.list('ann', 2, before === undefined ? {} : { before })).map(({ id }) => id);
        expect(await jobIds()).toEqual(['job_d', 'job_c']);
        expect(await jobIds('job_c')).toEqual(['job_b', 'job_a']);
        expect(
          (await jobs.list('ann', 4, { before: 'job_c', open: true })).map(({ id }) => id),
        ).toEqual(['job_b', 'job_a']);
        await conversations.append('conv_b', 'ann', say('again'));
        const first = await conversations.list('ann', 2);
        expect(first.map(({ title }) => title)).toEqual(['b', 'd']);
        const last = first[1];
        if (!last) throw new Error('no page');
        const next = await conversations.list('ann', 3, last);
        expect(next.map(({ title }) => title)).toEqual(['c', 'a']);
      },
    );
  },
);
