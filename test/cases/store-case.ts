import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallRecord } from '#core/stores/calls.ts';
import type { Store } from '#core/stores/store.ts';
import { openStore } from '#store/open.ts';
import { makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const DAY_MS = 86_400_000;
const KEEP_ALL = { auditDays: 0, turnsDays: 0, attemptsDays: 0, usageDays: 0, jobsDays: 0 };

/** What every store must do, whatever engine is below it. */
export function storeCases(kind: Kind): void {
  describe(`on ${kind}`, () => {
    let home: StoreHome;
    let store: Store;
    let made = 0;

    beforeAll(async () => {
      home = await makeStoreHome(kind);
      store = await openStore({ ...home, writerId: 'writer_a' });
    });
    afterAll(async () => {
      await store.close();
      await home.remove();
    });

    const newConversation = async (principal = 'ann', title = 'A title') => {
      const id = `conv_${String(++made).padStart(4, '0')}` as const;
      await store.conversations.create({ id, principal, title });
      return id;
    };
    const say = (content: string) => ({ role: 'user' as const, tool: 'chat', content });
    const call = (reqId: string, more: Partial<CallRecord> = {}): CallRecord => ({
      reqId,
      at: home.clock.now(),
      principal: 'ann',
      agent: null,
      door: 'ws',
      tool: 'chat',
      status: 'success',
      errorClass: null,
      argsSha256: 'ab'.repeat(32),
      elapsedMs: 12.6,
      metadata: {
        timestamp_utc: '2026-01-01T00:00:00.000Z',
        timestamp_local: '2026-01-01 11:00:00 AEDT',
        timezone: 'Australia/Melbourne',
      },
      ...more,
    });

    verifies('store:families', 'a conversation gives back the turns put into it, in order', async () => {
      const id = await newConversation();
      const first = await store.conversations.append(id, 'ann', [
        say('one'),
        {
          role: 'assistant',
          tool: 'chat',
          content: 'two \0 ünï 漢字 🙂',
          provider: 'kimi',
          model: 'kimi-k3',
          files: ['/a', '/b'],
          usage: { input: 3 },
        },
      ]);
      const second = await store.conversations.append(id, 'ann', [say('three')]);
      expect([first, second]).toEqual([1, 3]);
      expect(await store.conversations.turns(id, 'ann', 50)).toEqual([
        turn(id, 1, 'one'),
        {
          ...turn(id, 2, 'two \u2400 ünï 漢字 🙂'),
          role: 'assistant',
          provider: 'kimi',
          model: 'kimi-k3',
          files: ['/a', '/b'],
          usage: { input: 3 },
        },
        turn(id, 3, 'three'),
      ]);
      expect((await store.conversations.turns(id, 'ann', 1, 3)).map(({ seq }) => seq)).toEqual([2]);
      expect(await store.conversations.get(id, 'ann')).toMatchObject({ turns: 3, title: 'A title' });
    });

    const turn = (conversationId: string, seq: number, content: string) => ({
      conversationId,
      seq,
      role: 'user',
      tool: 'chat',
      provider: null,
      model: null,
      content,
      files: [],
      usage: null,
      createdAt: home.clock.now(),
    });

    test('a conversation belongs to its principal alone', async () => {
      const id = await newConversation('ann');
      await store.conversations.append(id, 'ann', [say('a secret plan')]);
      expect(await store.conversations.get(id, 'bob')).toBeUndefined();
      expect(await store.conversations.turns(id, 'bob', 10)).toEqual([]);
      expect(await store.conversations.search('bob', 'secret', 10)).toEqual([]);
      await expect(store.conversations.append(id, 'bob', [say('hello')])).rejects.toMatchObject({
        class: 'not_found',
      });
      await expect(store.conversations.delete(id, 'bob')).rejects.toMatchObject({ class: 'not_found' });
      expect(await store.conversations.turns(id, 'ann', 10)).toHaveLength(1);
    });

    test('turns appended at once to one conversation are numbered without gaps', async () => {
      const id = await newConversation();
      await Promise.all(
        Array.from({ length: 40 }, (_, n) => store.conversations.append(id, 'ann', [say(`turn ${n}`)])),
      );
      const seqs = (await store.conversations.turns(id, 'ann', 100)).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    });

    test('a conversation keeps its model and state until they are changed', async () => {
      const id = await newConversation();
      await store.conversations.update(id, 'ann', { model: 'glm-5.3', state: { step: 2, list: [1] } });
      await store.conversations.update(id, 'ann', { title: 'Renamed' });
      expect(await store.conversations.get(id, 'ann')).toMatchObject({
        title: 'Renamed',
        model: 'glm-5.3',
        state: { step: 2, list: [1] },
      });
      await store.conversations.update(id, 'ann', { model: null });
      expect(await store.conversations.get(id, 'ann')).toMatchObject({ model: null });
    });

    verifies('store:search', 'search finds words and phrases in any script, newest first', async () => {
      const id = await newConversation('searcher', 'Thread');
      await store.conversations.append(id, 'searcher', [
        say('The Zürich café opened at noon'),
        say('我们今天讨论大型语言模型的路由问题。'),
        say('route the request with GPT模型 today'),
        say('"quoted" AND OR NOT * ( ) : ^ - weird'),
      ]);
      const found = async (text: string) =>
        (await store.conversations.search('searcher', text, 10)).map(({ seq }) => seq);
      expect(await found('zurich CAFÉ')).toEqual([1]);
      expect(await found('语言模型')).toEqual([2]);
      expect(await found('模型')).toEqual([3, 2]);
      expect(await found('型模')).toEqual([]);
      expect(await found('today route')).toEqual([3]);
      expect(await found('quoted weird')).toEqual([4]);
      expect(await found('NOT "')).toEqual([4]);
      expect(await found('!!! ---')).toEqual([]);
      expect(await found('absent')).toEqual([]);
      const [hit] = await store.conversations.search('searcher', 'noon', 1);
      expect(hit).toMatchObject({ conversationId: id, title: 'Thread', snippet: expect.stringContaining('noon') });
    });

    test('search reaches the last words of a very long turn', async () => {
      const id = await newConversation('long');
      const words = Array.from({ length: 60_000 }, (_, n) => `w${n}`).join(' ');
      await store.conversations.append(id, 'long', [say(`beginning ${words} finale`)]);
      expect(await store.conversations.search('long', 'beginning finale w1999 w2000', 5)).toHaveLength(1);
    });

    test('a deleted conversation takes its turns and their words along', async () => {
      const id = await newConversation('gone');
      await store.conversations.append(id, 'gone', [say('ephemeral words')]);
      await store.conversations.delete(id, 'gone');
      expect(await store.conversations.turns(id, 'gone', 5)).toEqual([]);
      expect(await store.conversations.search('gone', 'ephemeral', 5)).toEqual([]);
    });

    test('conversations are listed newest first, page by page', async () => {
      for (const title of ['first', 'second', 'third']) {
        home.clock.advance(1000);
        await newConversation('lister', title);
      }
      const page = await store.conversations.list('lister', 2);
      expect(page.map(({ title }) => title)).toEqual(['third', 'second']);
      const rest = await store.conversations.list('lister', 2, page[1]?.updatedAt);
      expect(rest.map(({ title }) => title)).toEqual(['first']);
    });

    test('a file is known by its id to its owner, and by its content to a provider', async () => {
      const file = {
        id: 'file_1' as const,
        principal: 'ann',
        sha256: 'f'.repeat(64),
        name: 'a.pdf',
        mime: 'application/pdf',
        bytes: 12,
      };
      await store.files.add(file);
      expect(await store.files.get('file_1', 'ann')).toEqual({ ...file, createdAt: home.clock.now() });
      expect(await store.files.get('file_1', 'bob')).toBeUndefined();
      await expect(store.files.add(file)).rejects.toMatchObject({ class: 'conflict' });

      const key = { sha256: file.sha256, provider: 'kimi', account: 'a', purpose: 'file-extract' };
      await store.files.saveProviderFile({ ...key, providerFileId: 'x1', text: null });
      await store.files.saveProviderFile({ ...key, providerFileId: 'x2', text: 'words' });
      expect(await store.files.providerFile(key)).toEqual({
        ...key,
        providerFileId: 'x2',
        text: 'words',
        verifiedAt: home.clock.now(),
      });
      await store.files.dropProviderFile(key);
      expect(await store.files.providerFile(key)).toBeUndefined();
      await store.files.delete('file_1', 'ann');
      expect(await store.files.list('ann', 10)).toEqual([]);
    });

    test('a call is recorded with its attempts and its usage, and usage adds up by day', async () => {
      const at = home.clock.now();
      const usage = {
        reqId: 'req_u',
        at,
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
        at,
        provider: 'kimi',
        model: 'kimi-k3',
        elapsedMs: 100,
        outcome: 'timeout' as const,
        next: 'glm',
        vendorRequestId: 'v-1',
      };
      await store.calls.record(call('req_u', { principal: 'payer' }), [attempt], [usage, usage]);
      expect(await store.calls.attempts('req_u')).toEqual([attempt]);
      expect(await store.calls.list({ reqId: 'req_u', limit: 5 })).toEqual([
        { ...call('req_u', { principal: 'payer' }), elapsedMs: 13 },
      ]);
      const day = new Date(at).toISOString().slice(0, 10);
      expect(await store.usage.totals({ principal: 'payer', fromDay: day, toDay: day })).toEqual([
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

    test('calls are listed by tool, status and time', async () => {
      const from = home.clock.now() + 1;
      for (const [n, tool] of ['alpha', 'beta', 'alpha'].entries()) {
        home.clock.advance(10);
        await store.calls.record(call(`req_l${n}`, { tool, status: n === 2 ? 'error' : 'success' }));
      }
      const list = async (filter: object) =>
        (await store.calls.list({ sinceMs: from, limit: 10, ...filter })).map(({ reqId }) => reqId);
      expect(await list({})).toEqual(['req_l2', 'req_l1', 'req_l0']);
      expect(await list({ tool: 'alpha' })).toEqual(['req_l2', 'req_l0']);
      expect(await list({ tool: 'alpha', status: 'error' })).toEqual(['req_l2']);
      expect(await list({ untilMs: from + 15 })).toEqual(['req_l0']);
    });

    test('a noted call is in the audit after the next commit', async () => {
      store.calls.note(call('req_noted'));
      await store.calls.record(call('req_after'));
      expect(await store.calls.list({ reqId: 'req_noted', limit: 1 })).toHaveLength(1);
    });

    test('hostile text in an audit row is stored and still verifies', async () => {
      const hostile = 'tool\0\ud800"\'; drop table calls;--\u202e';
      await store.calls.record(call('req_hostile', { tool: hostile, agent: hostile }));
      expect((await store.verifyAudit()).chains[0]?.fault).toBeUndefined();
    });

    verifies('store:group-commit', 'a failing write among many is refused alone', async () => {
      const id = await newConversation('batch');
      const outcomes = await Promise.allSettled(
        Array.from({ length: 60 }, (_, n) =>
          n % 3 === 0
            ? store.conversations.append('conv_missing', 'batch', [say('lost')])
            : n % 3 === 1
              ? store.conversations.append(id, 'batch', [say(`kept ${n}`)])
              : store.calls.record(call(`req_batch${n}`)),
        ),
      );
      expect(outcomes.map(({ status }, n) => (n % 3 === 0) === (status === 'rejected'))).not.toContain(false);
      expect(await store.conversations.turns(id, 'batch', 100)).toHaveLength(20);
      expect((await store.verifyAudit()).chains.map(({ fault }) => fault)).toEqual([undefined]);
    });

    test('a job is given to one worker at a time and finished once', async () => {
      await store.jobs.enqueue({ id: 'job_1', principal: 'ann', tool: 'report', input: { topic: 'x' } });
      const claims = await Promise.all(['a', 'b', 'c'].map((owner) => store.jobs.claim(owner, 1000)));
      const [job, ...others] = claims.filter((claim) => claim !== undefined);
      expect(others).toEqual([]);
      expect(job).toMatchObject({ id: 'job_1', status: 'running', runs: 1, input: { topic: 'x' } });
      const lease = { jobId: 'job_1' as const, fence: job?.fence ?? 0 };
      expect(await store.jobs.heartbeat(lease, 1000, { progress: { done: 1 }, checkpoint: [1] })).toBe('kept');

      home.clock.advance(1001);
      const second = await store.jobs.claim('d', 1000);
      expect(second).toMatchObject({ id: 'job_1', runs: 2, checkpoint: [1] });
      expect(await store.jobs.finish(lease, { status: 'done', result: 'late' })).toBe('lost');
      const newLease = { jobId: 'job_1' as const, fence: second?.fence ?? 0 };
      expect(await store.jobs.finish(newLease, { status: 'done', result: { ok: true } })).toBe('kept');
      expect(await store.jobs.finish(newLease, { status: 'done', result: 'twice' })).toBe('lost');
      expect(await store.jobs.get('job_1', 'ann')).toMatchObject({ status: 'done', result: { ok: true } });
      expect(await store.jobs.get('job_1', 'bob')).toBeUndefined();
      expect(await store.jobs.claim('e', 1000)).toBeUndefined();
    });

    test('a cancelled job tells its worker, and cancelling twice says it is over', async () => {
      await store.jobs.enqueue({ id: 'job_2', principal: 'ann', tool: 'report', input: null });
      const job = await store.jobs.claim('a', 1000);
      expect(await store.jobs.cancel('job_2', 'ann')).toBe('cancelled');
      expect(await store.jobs.heartbeat({ jobId: 'job_2', fence: job?.fence ?? 0 }, 1000)).toBe('lost');
      expect(await store.jobs.cancel('job_2', 'ann')).toBe('already_over');
      await expect(store.jobs.cancel('job_2', 'bob')).rejects.toMatchObject({ class: 'not_found' });
    });

    test('a pin stays as first seen until the very candidate is approved', async () => {
      const pin = { server: 's', tool: 't', hash: 'h1', definition: { v: 1 } };
      await store.pins.pin([pin]);
      await store.pins.pin([{ ...pin, hash: 'h2' }]);
      await store.pins.quarantine('s', 't', { hash: 'h3', definition: { v: 3 } });
      expect(await store.pins.list('s')).toMatchObject([{ hash: 'h1', candidate: { hash: 'h3' } }]);
      await expect(store.pins.approve('s', 't', 'h2')).rejects.toMatchObject({ class: 'not_found' });
      await store.pins.approve('s', 't', 'h3');
      expect(await store.pins.list()).toMatchObject([{ hash: 'h3', definition: { v: 3 }, candidate: null }]);
      await store.pins.remove('s');
      expect(await store.pins.list()).toEqual([]);
    });

    test('clients are found by the digest of their token, and expire', async () => {
      await store.clients.add({ id: 'client_1', name: 'ide', tokenSha256: 'd1', scopes: ['*'] });
      expect(await store.clients.byToken('d1')).toMatchObject({ name: 'ide', scopes: ['*'], expiresAt: null });
      await store.clients.expire('client_1', 5);
      expect(await store.clients.list()).toMatchObject([{ id: 'client_1', expiresAt: 5 }]);
      expect(await store.clients.byToken('other')).toBeUndefined();
    });

    test('settings and breakers keep the last value given', async () => {
      await store.settings.set('a', { n: 1 });
      await store.settings.set('a', [2]);
      expect(await store.settings.get('a')).toEqual([2]);
      await store.settings.delete('a');
      expect(await store.settings.get('a')).toBeUndefined();
      await store.breakers.save('kimi', { is: 'open' });
      await store.breakers.save('kimi', { is: 'closed' });
      expect(await store.breakers.all()).toEqual([
        { key: 'kimi', state: { is: 'closed' }, updatedAt: home.clock.now() },
      ]);
    });

    verifies('store:retention', 'retention removes what is old and the chain still verifies', async () => {
      const old = await newConversation('pruned');
      await store.conversations.append(old, 'pruned', [say('stale words')]);
      const before = await store.calls.list({ limit: 1000 });
      home.clock.advance(40 * DAY_MS);
      await store.calls.record(call('req_young'));
      const young = await newConversation('pruned');

      expect(await store.prune(KEEP_ALL)).toEqual({});
      const removed = await store.prune({ ...KEEP_ALL, auditDays: 30, turnsDays: 30 });
      expect(removed['calls']).toBe(before.length);
      expect(await store.calls.list({ limit: 10 })).toMatchObject([{ reqId: 'req_young' }]);
      const [chain] = (await store.verifyAudit()).chains;
      expect(chain).toEqual({
        writerId: 'writer_a',
        rows: 1,
        fromSeq: before.length,
        toSeq: before.length + 1,
      });
      expect((await store.conversations.list('pruned', 5)).map(({ id }) => id)).toEqual([young]);
      expect(await store.conversations.search('pruned', 'stale', 5)).toEqual([]);

      home.clock.advance(40 * DAY_MS);
      await store.prune({ ...KEEP_ALL, auditDays: 30 });
      await store.calls.record(call('req_next'));
      const [next] = (await store.verifyAudit()).chains;
      expect(next).toMatchObject({ rows: 1, toSeq: before.length + 2 });
    });

    test('a store that is opened again goes on with the same chain and the same rows', async () => {
      await store.close();
      store = await openStore({ ...home, writerId: 'writer_a' });
      await store.calls.record(call('req_reopened'));
      const { chains } = await store.verifyAudit();
      expect(chains).toHaveLength(1);
      expect(chains[0]?.fault).toBeUndefined();
      expect(await store.health()).toEqual({ ok: true, kind, schemaVersion: 1 });
    });
  });
}
