import { expect, test } from 'vitest';
import type { AttemptRecord, UsageRecord } from '#core/stores/calls.ts';
import type { UsageFilter, UsageGroup } from '#core/stores/usage.ts';
import { DAY_MS, utcDay } from '#core/time/utc-day.ts';
import { verifies } from '../verifies.ts';
import { say, type StoreUnderTest } from './store-under-test.ts';

const EVER = { fromDay: '2000-01-01', toDay: '2999-12-31' };

/** Files and calls: what is written down about them. */
export function recordsCases(at: StoreUnderTest): void {
  test('a file is known by its id to its owner, and by its content to a provider', async () => {
    const file = {
      id: 'file_1' as const,
      principal: 'ann',
      name: 'a.pdf',
      mime: 'application/pdf',
    };
    const content = [Buffer.from('twelve bytes')];
    const stored = await at.store.files.write(file, content);
    expect(stored).toMatchObject({ ...file, bytes: 12, createdAt: at.clock.now() });
    expect(await at.store.files.get('file_1', 'ann')).toEqual(stored);
    expect(await at.store.files.get('file_1', 'bob')).toBeUndefined();
    await expect(at.store.files.write(file, content)).rejects.toMatchObject({ class: 'conflict' });

    const key = { sha256: stored.sha256, provider: 'kimi', account: 'a', purpose: 'file-extract' };
    await at.store.files.saveProviderFile({ ...key, providerFileId: 'x1', text: null });
    await at.store.files.saveProviderFile({ ...key, providerFileId: 'x2', text: 'words' });
    expect(await at.store.files.providerFile(key)).toEqual({
      ...key,
      providerFileId: 'x2',
      text: 'words',
      verifiedAt: at.clock.now(),
    });
    const owner = { name: 'a.pdf', mime: 'application/pdf', bytes: 12 };
    const account = { provider: 'kimi', account: 'a' };
    await at.store.files.ownProviderFile(key, { ...owner, principal: 'ann' });
    await at.store.files.ownProviderFile(key, { ...owner, principal: 'bob' });
    await at.store.files.ownProviderFile(key, { ...owner, principal: 'ann' });
    const ofAnn = { principal: 'ann', providerFileId: 'x2', limit: 5 };
    expect(await at.store.files.ownedProviderFiles(account, ofAnn)).toEqual([
      {
        ...key,
        ...owner,
        principal: 'ann',
        providerFileId: 'x2',
        text: 'words',
        verifiedAt: at.clock.now(),
        createdAt: at.clock.now(),
        usedAt: at.clock.now(),
      },
    ]);
    expect(await at.store.files.ownedProviderFiles(account, { limit: 5 })).toHaveLength(2);
    const ofEve = { principal: 'eve', limit: 5 };
    expect(await at.store.files.ownedProviderFiles(account, ofEve)).toEqual([]);
    expect(await at.store.files.disownProviderFile(key, 'ann')).toBe('shared');
    expect(await at.store.files.disownProviderFile(key, 'bob')).toBe('last');
    await at.store.files.dropProviderFile(key);
    expect(await at.store.files.providerFile(key)).toBeUndefined();
    await at.store.files.delete('file_1', 'ann');
    expect(await at.store.files.list('ann', 10)).toEqual([]);
  });

  test('a call is recorded with its attempts and its usage, and usage adds up by day', async () => {
    const now = at.clock.now();
    const usage = {
      reqId: 'req_u',
      at: now,
      principal: 'payer',
      tool: 'chat',
      provider: 'glm',
      model: 'glm-5.3',
      input: 10,
      output: 5,
      cached: 1,
      reasoning: 2,
      costMicroUsd: 1500,
      priced: true,
      estimated: false,
    };
    const attempt = {
      reqId: 'req_u',
      attempt: 1,
      at: now,
      provider: 'kimi',
      model: 'kimi-k3',
      elapsedMs: 100,
      outcome: 'timeout' as const,
      next: 'glm',
      vendorRequestId: 'v-1',
    };
    await at.store.calls.record(
      at.call('req_u', { principal: 'payer' }),
      [attempt],
      [usage, usage],
    );
    expect(await at.store.calls.attempts('req_u')).toEqual([attempt]);
    const { reqId, provider, model, costMicroUsd, priced } = usage;
    const cost = { reqId, provider, model, costMicroUsd, priced };
    const during = { reqIds: ['req_u', 'req_none'], sinceMs: now - 1, untilMs: now + 1 };
    expect(await at.store.calls.costs(during)).toEqual({
      attempts: [attempt],
      usage: [cost, cost],
    });
    const later = { ...during, sinceMs: now + 1 };
    expect((await at.store.calls.costs(later)).usage).toEqual([]);
    expect(await at.store.calls.costs({ ...during, reqIds: [] })).toEqual({
      attempts: [],
      usage: [],
    });
    expect(await at.store.calls.list({ reqId: 'req_u', limit: 5 })).toEqual([
      at.call('req_u', { principal: 'payer' }),
    ]);
    const day = new Date(now).toISOString().slice(0, 10);
    expect(await at.store.usage.totals({ principal: 'payer', fromDay: day, toDay: day })).toEqual([
      {
        principal: 'payer',
        day,
        tool: 'chat',
        provider: 'glm',
        model: 'glm-5.3',
        calls: 2,
        input: 20,
        output: 10,
        cached: 2,
        reasoning: 4,
        costMicroUsd: 3000,
        unpriced: 0,
        estimated: 0,
      },
    ]);
  });

  verifies(
    'usage:kept',
    'what asking models took is durable without an audit row, whatever becomes of the call',
    async () => {
      const attempt = attemptOf(at, 'req_spent', 1);
      const usage = usageOf(at, 'req_spent', 'spender');
      await at.store.calls.recordUsage([attempt], [usage]);
      await at.store.calls.recordUsage(
        [{ ...attempt, attempt: 2, outcome: 'ok', next: null }],
        [{ ...usage, priced: false, costMicroUsd: 0, estimated: true }],
      );
      await at.store.calls.recordUsage([], []);
      expect(await at.store.calls.list({ reqId: 'req_spent', limit: 5 })).toEqual([]);
      expect((await at.store.calls.attempts('req_spent')).map(({ attempt: n }) => n)).toEqual([
        1, 2,
      ]);
      const today = utcDay(at.clock.now());
      const filter = { principal: 'spender', fromDay: today, toDay: today };
      expect(await at.store.usage.totals(filter)).toMatchObject([
        { calls: 2, costMicroUsd: 40, unpriced: 1, estimated: 1 },
      ]);
    },
  );

  test('an attempt whose number is taken keeps the first, and its money is counted all the same', async () => {
    const attempt = attemptOf(at, 'req_again', 1);
    const usage = usageOf(at, 'req_again', 'again');
    await at.store.calls.recordUsage([attempt], [usage]);
    await at.store.calls.recordUsage([{ ...attempt, provider: 'glm' }, attempt], [usage]);
    expect(await at.store.calls.attempts('req_again')).toEqual([attempt]);
    const sums = await at.store.usage.sums('client', { ...EVER, principal: 'again' });
    expect(sums).toMatchObject([{ name: '', principal: 'again', calls: 2, costMicroUsd: 80 }]);
  });

  verifies(
    'usage:kept',
    'what was spent at the same moment by many, in any order, is counted to the unit',
    async () => {
      const tools = ['alpha', 'beta', 'gamma', 'delta'];
      const spends = Array.from({ length: 100 }, (_, n) => {
        const order = n % 2 === 0 ? tools : tools.toReversed();
        const reqId = `req_many${n}`;
        const usage = order.map((tool) => ({ ...usageOf(at, reqId, 'crowd'), tool }));
        return at.store.calls.recordUsage([attemptOf(at, reqId, 1)], usage);
      });
      await Promise.all(spends);
      const sums = await at.store.usage.sums('tool', { ...EVER, principal: 'crowd' });
      expect(sums.map(({ name, calls, costMicroUsd }) => [name, calls, costMicroUsd])).toEqual(
        tools.toSorted().map((tool) => [tool, 100, 4000]),
      );
    },
  );

  test('usage is summed up by client, model, tool and day, the dearest first', async () => {
    const start = at.clock.now();
    const rows = [
      {
        principal: 'sum-a',
        client: 'ide',
        tool: 'chat',
        provider: 'kimi',
        model: 'm',
        costMicroUsd: 5,
      },
      {
        principal: 'sum-a',
        client: 'curl',
        tool: 'web',
        provider: 'glm',
        model: 'm',
        costMicroUsd: 70,
      },
      {
        principal: 'sum-b',
        client: 'ide',
        tool: 'chat',
        provider: 'kimi',
        model: 'm',
        costMicroUsd: 6,
      },
      { principal: 'sum-b', tool: 'chat', provider: 'kimi', model: 'free', costMicroUsd: 0 },
    ];
    const usage = rows.map((row, n) => ({
      ...usageOf(at, `req_sum${n}`, ''),
      ...row,
      at: start + (n + 1000) * DAY_MS,
    }));
    await at.store.calls.recordUsage([], usage);
    const filter = {
      fromDay: utcDay(start + 1000 * DAY_MS),
      toDay: utcDay(start + 1002 * DAY_MS),
    };
    const sums = async (by: UsageGroup, more: Partial<UsageFilter> = {}) =>
      (await at.store.usage.sums(by, { ...filter, ...more })).map(
        ({ name, provider, principal, costMicroUsd }) => [
          name,
          principal ?? provider,
          costMicroUsd,
        ],
      );
    expect(await sums('client')).toEqual([
      ['curl', 'sum-a', 70],
      ['ide', 'sum-b', 6],
      ['ide', 'sum-a', 5],
    ]);
    expect(await sums('model')).toEqual([
      ['m', 'glm', 70],
      ['m', 'kimi', 11],
    ]);
    expect(await sums('tool', { principal: 'sum-a' })).toEqual([
      ['web', undefined, 70],
      ['chat', undefined, 5],
    ]);
    expect((await sums('day')).map(([name]) => name)).toEqual(
      [1000, 1001, 1002].map((days) => utcDay(start + days * DAY_MS)),
    );
    expect(await sums('day', { fromDay: '2999-01-01', toDay: '2999-01-02' })).toEqual([]);
    expect(
      await sums('model', { fromDay: utcDay(start + 1003 * DAY_MS), toDay: '9999-01-01' }),
    ).toEqual([['free', 'kimi', 0]]);
  });

  verifies(
    'usage:clients',
    'a caller that invents thousands of client names adds a bounded number of rows',
    async () => {
      const usage = Array.from({ length: 3000 }, (_, n) => ({
        ...usageOf(at, `req_names${n}`, 'inventor'),
        client: `made-up-${n}`,
        clientVersion: `${n}`,
      }));
      await at.store.calls.recordUsage([], usage);
      const sums = await at.store.usage.sums('client', { ...EVER, principal: 'inventor' });
      expect(sums).toHaveLength(65);
      expect(sums[0]).toMatchObject({ name: 'other', principal: 'inventor', calls: 3000 - 64 });
      const filter = { ...EVER, principal: 'inventor' };
      expect(await at.store.usage.totals(filter)).toMatchObject([{ calls: 3000 }]);
    },
  );

  test('an audit row tells the program of the caller, and still verifies', async () => {
    const clientInfo = { name: 'claude-code', version: '2.1.197' };
    await at.store.calls.record(at.call('req_program', { clientInfo }));
    await at.store.calls.record(at.call('req_no_program'));
    const [row] = await at.store.calls.list({ reqId: 'req_program', limit: 1 });
    expect(row?.clientInfo).toEqual(clientInfo);
    expect((await at.store.verifyAudit()).chains[0]?.fault).toBeUndefined();
  });

  verifies(
    'store:group-commit',
    'a write that fails half-way leaves nothing of itself',
    async () => {
      const attempt = {
        reqId: 'req_half',
        attempt: 1,
        at: at.clock.now(),
        provider: 'kimi',
        model: 'kimi-k3',
        elapsedMs: 1,
        outcome: 'ok' as const,
        next: null,
        vendorRequestId: null,
      };
      const nobodys = { ...attempt, attempt: 2, provider: null as never };
      const half = at.store.calls.record(at.call('req_half'), [attempt, nobodys]);
      await expect(half).rejects.toMatchObject({ class: 'conflict' });
      expect(await at.store.calls.attempts('req_half')).toEqual([]);
      expect(await at.store.calls.list({ reqId: 'req_half', limit: 1 })).toEqual([]);
    },
  );

  test('calls are listed by tool, status and time', async () => {
    const from = at.clock.now() + 1;
    for (const [n, tool] of ['alpha', 'beta', 'alpha'].entries()) {
      at.clock.advance(10);
      await at.store.calls.record(
        at.call(`req_l${n}`, { tool, status: n === 2 ? 'error' : 'success' }),
      );
    }
    const list = async (filter: object) =>
      (await at.store.calls.list({ sinceMs: from, limit: 10, ...filter })).map(
        ({ reqId }) => reqId,
      );
    expect(await list({})).toEqual(['req_l2', 'req_l1', 'req_l0']);
    expect(await list({ tool: 'alpha' })).toEqual(['req_l2', 'req_l0']);
    expect(await list({ tool: 'alpha', status: 'error' })).toEqual(['req_l2']);
    expect(await list({ untilMs: from + 15 })).toEqual(['req_l0']);
  });

  test('a noted call is in the audit after the next commit', async () => {
    void at.store.calls.recordLazily(at.call('req_noted'));
    await at.store.calls.record(at.call('req_after'));
    expect(await at.store.calls.list({ reqId: 'req_noted', limit: 1 })).toHaveLength(1);
  });

  test('hostile text in an audit row is stored and still verifies', async () => {
    const hostile = 'tool\0\ud800"\'; drop table calls;--\u202e';
    await at.store.calls.record(at.call('req_hostile', { tool: hostile, agent: hostile }));
    expect((await at.store.verifyAudit()).chains[0]?.fault).toBeUndefined();
  });

  test('a value of a kind that no column holds is refused before an engine sees it', async () => {
    for (const odd of [true, {}, [], undefined, Number.NaN, 1.5, 2 ** 53, () => 1, 1n]) {
      const file = { id: 'file_odd', principal: 'ann', name: odd, mime: 'm' };
      await expect(at.store.files.write(file as never, [])).rejects.toMatchObject({
        class: 'validation',
      });
    }
    await expect(at.store.settings.get(true as never)).rejects.toMatchObject({
      class: 'validation',
    });
  });

  test('a note that cannot be written goes to the log, never to the caller', () => {
    const before = at.log.lines.length;
    void at.store.calls.recordLazily(at.call('req_odd', { status: undefined as never }));
    void at.store.calls.recordLazily(
      at.call('req_big', { metadata: { timestamp_utc: 1n } as never }),
    );
    expect(at.log.lines.slice(before).map(({ event }) => event)).toEqual([
      'audit_row_not_stored',
      'audit_row_not_stored',
    ]);
  });

  verifies('store:group-commit', 'an audit row that cannot be stored harms no other', async () => {
    const calls = ['req_p0', 'req_p1', 'req_p2', 'req_p3'].map((reqId, n) =>
      at.store.calls.record(at.call(reqId, n === 2 ? { tool: null as never } : {})),
    );
    const outcomes = (await Promise.allSettled(calls)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect((await at.store.verifyAudit()).chains.map(({ fault }) => fault)).toEqual([undefined]);
  });

  verifies('store:group-commit', 'a failing write among many is refused alone', async () => {
    const id = await at.newConversation('batch');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) =>
        n % 3 === 0
          ? at.store.conversations.append('conv_missing', 'batch', [say('lost')])
          : n % 3 === 1
            ? at.store.conversations.append(id, 'batch', [say(`kept ${n}`)])
            : at.store.calls.record(at.call(`req_batch${n}`)),
      ),
    );
    expect(
      outcomes.map(({ status }, n) => (n % 3 === 0) === (status === 'rejected')),
    ).not.toContain(false);
    expect(await at.store.conversations.turns(id, 'batch', 100)).toHaveLength(20);
    expect((await at.store.verifyAudit()).chains.map(({ fault }) => fault)).toEqual([undefined]);
  });
}

function attemptOf(at: StoreUnderTest, reqId: string, attempt: number): AttemptRecord {
  return {
    reqId,
    attempt,
    at: at.clock.now(),
    provider: 'kimi',
    model: 'kimi-k3',
    elapsedMs: 7,
    outcome: 'timeout',
    next: 'glm',
    vendorRequestId: null,
  };
}

function usageOf(at: StoreUnderTest, reqId: string, principal: string): UsageRecord {
  return {
    reqId,
    at: at.clock.now(),
    principal,
    tool: 'chat',
    provider: 'kimi',
    model: 'kimi-k3',
    input: 3,
    output: 2,
    cached: 1,
    reasoning: 0,
    costMicroUsd: 40,
    priced: true,
    estimated: false,
  };
}
