import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { say, type StoreUnderTest } from './store-under-test.ts';

/** Files and calls: what is written down about them. */
export function recordsCases(at: StoreUnderTest): void {
  test('a file is known by its id to its owner, and by its content to a provider', async () => {
    const file = {
      id: 'file_1' as const,
      principal: 'ann',
      sha256: 'f'.repeat(64),
      name: 'a.pdf',
      mime: 'application/pdf',
      bytes: 12,
    };
    await at.store.files.add(file);
    expect(await at.store.files.get('file_1', 'ann')).toEqual({
      ...file,
      createdAt: at.clock.now(),
    });
    expect(await at.store.files.get('file_1', 'bob')).toBeUndefined();
    await expect(at.store.files.add(file)).rejects.toMatchObject({ class: 'conflict' });

    const key = { sha256: file.sha256, provider: 'kimi', account: 'a', purpose: 'file-extract' };
    await at.store.files.saveProviderFile({ ...key, providerFileId: 'x1', text: null });
    await at.store.files.saveProviderFile({ ...key, providerFileId: 'x2', text: 'words' });
    expect(await at.store.files.providerFile(key)).toEqual({
      ...key,
      providerFileId: 'x2',
      text: 'words',
      verifiedAt: at.clock.now(),
    });
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
      provider: 'glm',
      model: 'glm-5.3',
      input: 10,
      output: 5,
      cached: 1,
      reasoning: 2,
      costMicroUsd: 1500,
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
    expect(await at.store.calls.list({ reqId: 'req_u', limit: 5 })).toEqual([
      at.call('req_u', { principal: 'payer' }),
    ]);
    const day = new Date(now).toISOString().slice(0, 10);
    expect(await at.store.usage.totals({ principal: 'payer', fromDay: day, toDay: day })).toEqual([
      {
        principal: 'payer',
        day,
        provider: 'glm',
        model: 'glm-5.3',
        calls: 2,
        input: 20,
        output: 10,
        cached: 2,
        reasoning: 4,
        costMicroUsd: 3000,
      },
    ]);
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
      const twice = at.store.calls.record(at.call('req_half'), [attempt, attempt]);
      await expect(twice).rejects.toMatchObject({ class: 'conflict' });
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
    void at.store.calls.note(at.call('req_noted'));
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
      const file = {
        id: 'file_odd',
        principal: 'ann',
        sha256: 'x',
        name: odd,
        mime: 'm',
        bytes: 1,
      };
      await expect(at.store.files.add(file as never)).rejects.toMatchObject({
        class: 'validation',
      });
    }
    await expect(at.store.settings.get(true as never)).rejects.toMatchObject({
      class: 'validation',
    });
  });

  test('a note that cannot be written goes to the log, never to the caller', () => {
    const before = at.log.lines.length;
    void at.store.calls.note(at.call('req_odd', { status: undefined as never }));
    void at.store.calls.note(at.call('req_big', { metadata: { timestamp_utc: 1n } as never }));
    expect(at.log.lines.slice(before).map(({ event }) => event)).toEqual([
      'call_not_noted',
      'call_not_noted',
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
