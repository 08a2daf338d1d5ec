import { expect, test } from 'vitest';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { verifies } from '../verifies.ts';
import { say, type StoreUnderTest } from './store-under-test.ts';

const DAY_MS = 86_400_000;
const KEEP_ALL = {
  auditDays: 0,
  turnsDays: 0,
  attemptsDays: 0,
  usageDays: 0,
  jobsDays: 0,
  responsesDays: 0,
  filesDays: 0,
};

/** What time and restarts do to a store. */
export function lifetimeCases(at: StoreUnderTest): void {
  verifies(
    'store:retention',
    'retention removes what is old and the chain still verifies',
    async () => {
      const old = await at.newConversation('pruned');
      await at.store.conversations.append(old, 'pruned', [say('stale words')]);
      const before = await at.store.calls.list({ limit: 1000 });
      at.clock.advance(40 * DAY_MS);
      await at.store.calls.record(at.call('req_young'));
      const young = await at.newConversation('pruned');

      expect(await at.store.prune(KEEP_ALL)).toEqual({});
      const removed = await at.store.prune({ ...KEEP_ALL, auditDays: 30, turnsDays: 30 });
      expect(removed['calls']).toBe(before.length);
      expect(await at.store.calls.list({ limit: 10 })).toMatchObject([{ reqId: 'req_young' }]);
      const [chain] = (await at.store.verifyAudit()).chains;
      expect(chain).toEqual({
        writerId: 'writer_a',
        rows: 1,
        fromSeq: before.length,
        toSeq: before.length + 1,
        head: expect.stringMatching(/^[0-9a-f]{64}$/),
        cut: { until: expect.any(String), proof: 'key' },
        proof: { by: 'key', fromSeq: 1 },
      });
      expect((await at.store.conversations.list('pruned', 5)).map(({ id }) => id)).toEqual([young]);
      expect(await at.store.conversations.search('pruned', 'stale', 5)).toEqual([]);

      at.clock.advance(40 * DAY_MS);
      await at.store.prune({ ...KEEP_ALL, auditDays: 30 });
      await at.store.calls.record(at.call('req_next'));
      const [next] = (await at.store.verifyAudit()).chains;
      expect(next).toMatchObject({ rows: 1, toSeq: before.length + 2 });
    },
  );

  verifies(
    'store:retention-clock',
    'what retention would remove is counted first, and the newest row is known',
    async () => {
      const old = await at.newConversation('counted');
      await at.store.conversations.append(old, 'counted', [say('stale words')]);
      // Other cases leave rows of the future.
      const newest = (await at.store.newestRowMs()) ?? 0;
      expect(newest).toBeGreaterThanOrEqual(at.clock.now());
      at.clock.advance(40 * DAY_MS);
      await at.store.calls.record(at.call('req_counted'));
      expect(await at.store.newestRowMs()).toBe(Math.max(newest, at.clock.now()));

      const policy = { ...KEEP_ALL, auditDays: 30, turnsDays: 30 };
      const nowMs = at.clock.now();
      expect(await at.store.countExpired(KEEP_ALL, nowMs)).toEqual({});
      expect(await at.store.countExpired(policy, nowMs - 100 * DAY_MS)).toEqual({});
      const expired = await at.store.countExpired(policy, nowMs);
      expect(expired['turns']).toBeGreaterThan(0);
      const removed = await at.store.prune(policy, nowMs);
      const gone = Object.entries(removed).filter(([, count]) => count > 0);
      expect(Object.fromEntries(gone)).toEqual(expired);
      expect(await at.store.countExpired(policy, nowMs)).toEqual({});
    },
  );

  test('two stores that write as one daemon take turns on its chain', async () => {
    const twin = await at.openTwin();
    for (let n = 0; n < 6; n++) {
      const store = n % 2 === 0 ? at.store : twin;
      await store.calls.record(at.call(`req_twin${n}`));
    }
    await Promise.all(
      [at.store, twin].flatMap((store, which) =>
        Array.from({ length: 20 }, (_, n) => store.calls.record(at.call(`req_${which}_${n}`))),
      ),
    );
    await twin.close();
    expect((await at.store.verifyAudit()).chains.map(({ fault }) => fault)).toEqual([undefined]);
  });

  test('a closed store takes no more and leaves nobody waiting', async () => {
    const reading = at.store.calls.list({ limit: 1000 }).catch((error: unknown) => error);
    await at.store.close();
    await reading;
    await expect(at.store.calls.record(at.call('req_late'))).rejects.toMatchObject({
      class: 'interrupted',
    });
    await expect(at.store.settings.get('a')).rejects.toMatchObject({ class: 'interrupted' });
    await expect(at.store.verifyAudit()).rejects.toMatchObject({ class: 'interrupted' });
    await at.reopen();
    expect(await at.store.calls.list({ reqId: 'req_late', limit: 1 })).toEqual([]);
  });

  test('a store that is opened again goes on with the same chain and the same rows', async () => {
    await at.reopen();
    await at.store.calls.record(at.call('req_reopened'));
    const { chains } = await at.store.verifyAudit();
    expect(chains).toHaveLength(1);
    expect(chains[0]?.fault).toBeUndefined();
    expect(await at.store.health()).toEqual({
      ok: true,
      kind: at.kind,
      schemaVersion: MIGRATIONS.length,
    });
  });
}
