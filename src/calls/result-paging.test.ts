import { describe, expect, test } from 'vitest';
import type { CallResult } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { createTokenCounter } from '#core/llm/token-counter.ts';
import type { ResultRecord, ResultStore } from '#core/stores/results.ts';
import { createListLog } from '../../test/list-log.ts';
import { verifies } from '../../test/verifies.ts';
import { createTestCalls, OWNER, probeTool } from './calls.fixture.ts';
import { createResultPaging, withResultPaging } from './result-paging.ts';

describe('results', () => {
  const MAX_TOKENS = 1000;
  const REQ_ID = 'req_1k75q0acq000zzzzzzzzzz';
  const RES_ID = 'res_1k75q0acq000zzzzzzzzzz';

  function countTokens(text: string): number {
    const tokens = createTokenCounter();
    tokens.add(text);
    return tokens.count();
  }

  type Kept = Omit<ResultRecord, 'chars' | 'createdAt'> & { readonly text: string };

  function results(count = countTokens) {
    const kept: Kept[] = [];
    let failures = 0;
    const store: ResultStore = {
      async keep(result) {
        if (failures-- > 0) throw new CallError('over_capacity', 'The disk is full.');
        if (!kept.some(({ id }) => id === result.id)) kept.push(result);
      },
      async read(id, principal, offset, maxChars) {
        const found = kept.find((each) => each.id === id && each.principal === principal);
        const chars = found?.text.length ?? 0;
        const text = found?.text.slice(offset, offset + maxChars) ?? '';
        return found && { ...found, chars, createdAt: 0, offset: Math.min(offset, chars), text };
      },
      list: async () => [],
    };
    const log = createListLog();
    const all = createResultPaging({ store, countTokens: count, log });
    return {
      all,
      read: (...given: Parameters<typeof all.read>) => all.read(...given),
      fit: async (answer: CallResult, maxTokens = MAX_TOKENS) => all.fit(answer, 'ann', maxTokens),
      kept,
      log,
      failOnce: () => void (failures = 1),
    };
  }

  function answer(
    text: string,
    content: unknown = text,
    more: Partial<CallResult> = {},
  ): CallResult {
    const envelope = { status: 'success', tool: 'chat', attempt: 1, req_id: REQ_ID, content };
    return { envelope, text, ...more };
  }

  const lines = (count: number) =>
    Array.from({ length: count }, (_, line) => `This is line ${line} of a long answer.\n`).join('');

  /** What its client has of it, and what it gets by asking for the rest. */
  async function putTogether(
    { read }: Pick<ReturnType<typeof results>, 'read'>,
    fitted: CallResult,
  ): Promise<string> {
    const { id = '', next = 0 } = fitted.envelope.page ?? {};
    let whole = fitted.text.slice(0, next);
    for (;;) {
      const part = await read('ann', id, whole.length, 7777);
      if (part.text === '') return whole;
      whole += part.text;
    }
  }

  test.each([
    { what: 'a short answer', given: answer('Yes.') },
    { what: 'an answer that just fits', given: answer('x'.repeat(4000)) },
    { what: 'data that just fits', given: answer('Yes.', { list: 'x'.repeat(3900) }) },
    { what: 'a failure', given: answer('No.', null, { error: new CallError('timeout', 'No.') }) },
    { what: 'nothing as data', given: answer('Yes.', undefined) },
  ])('$what is given as it is, and not even copied', async ({ given }) => {
    const { fit, kept } = results();
    expect(await fit(given)).toBe(given);
    expect(kept).toEqual([]);
  });

  describe('a text that is too long', () => {
    verifies('results:fit', 'is given by its head, with the way to the rest', async () => {
      const all = results();
      const text = lines(500);
      const fitted = await all.fit(
        answer(text, text, { blocks: [{ type: 'text', text: 'more' }] }),
      );
      const { page, content, detail } = fitted.envelope;
      const next = page?.next ?? 0;
      expect(page).toEqual({ id: RES_ID, next });
      const note = `[The first ${next} of ${text.length} characters. Continue with read_result {"id": "${RES_ID}", "offset": ${next}}, or read the resource exai://results/${RES_ID}.]`;
      expect(fitted.text).toBe(`${text.slice(0, next)}\n\n${note}`);
      expect(content).toBe(text.slice(0, next));
      expect(detail).toBe(note);
      expect(fitted.blocks).toEqual([
        { type: 'text', text: 'more' },
        {
          type: 'resource_link',
          uri: `exai://results/${RES_ID}`,
          name: 'The whole answer of chat',
        },
      ]);
      // Up to the end of a line.
      expect(text[next - 1]).toBe('\n');
      expect(countTokens(fitted.text)).toBeLessThanOrEqual(MAX_TOKENS);
      expect(next).toBeGreaterThan(2000);
      expect(all.kept).toEqual([
        { id: RES_ID, principal: 'ann', tool: 'chat', reqId: REQ_ID, text },
      ]);
      expect(await putTogether(all, fitted)).toBe(text);
    });

    test.each([
      { what: 'one line', text: 'x'.repeat(100_000) },
      { what: 'Chinese', text: '一个很长的回答。'.repeat(20_000) },
      { what: 'nothing but pairs', text: '😀'.repeat(50_001) },
      { what: 'pairs out of step', text: `x${'😀'.repeat(50_001)}` },
      { what: 'halves of pairs', text: '\ud83d'.repeat(50_001) },
      { what: 'empty lines', text: '\n'.repeat(50_000) },
      { what: 'a line that ends far back', text: `one\n${'x'.repeat(100_000)}` },
    ])('$what fits, is cut between characters, and is whole in the end', async ({ text }) => {
      const all = results();
      const fitted = await all.fit(answer(text));
      const next = fitted.envelope.page?.next ?? 0;
      expect(next).toBeGreaterThan(0);
      expect(countTokens(fitted.text)).toBeLessThanOrEqual(MAX_TOKENS);
      const isPair =
        /[\ud800-\udbff]/.test(text[next - 1] ?? '') && /[\udc00-\udfff]/.test(text[next] ?? '');
      expect(isPair).toBe(false);
      expect((await putTogether(all, fitted)) === text).toBe(true);
    });

    test('of a script with the most tokens the head is small enough, too', async () => {
      const dense = (text: string) => text.length * 2;
      const all = results(dense);
      const fitted = await all.fit(answer('x'.repeat(501)));
      expect(dense(fitted.envelope.content as string)).toBeLessThanOrEqual(800);
      expect(await putTogether(all, fitted)).toBe('x'.repeat(501));
    });

    test('thirty megabytes are counted no more than by their beginning', async () => {
      let counted = 0;
      const all = results((text) => {
        counted += text.length;
        return countTokens(text);
      });
      const text = lines(800_000);
      expect(text.length).toBeGreaterThan(30_000_000);
      const fitted = await all.fit(answer(text), 25_000);
      expect(counted).toBeLessThan(2_000_000);
      expect(all.kept[0]?.text === text).toBe(true);
      expect(countTokens(fitted.text)).toBeLessThanOrEqual(25_000);
    });

    test('a notice that was there stays', async () => {
      const { fit } = results();
      const given = answer(lines(500));
      const fitted = await fit({ ...given, envelope: { ...given.envelope, detail: 'A notice.' } });
      expect(fitted.envelope.detail).toMatch(/^A notice\.\n\[The first /);
    });

    test('data that fits stays whole beside it', async () => {
      const all = results();
      const content = { verdict: 'yes' };
      const text = lines(500);
      const fitted = await all.fit(answer(text, content));
      expect(fitted.envelope.content).toBe(content);
      expect(all.kept[0]?.text).toBe(`${text}\n\nAs data:\n{\n "verdict": "yes"\n}`);
      const other = await all.fit(answer(text, 'In a word: yes.'));
      expect(other.envelope.content).toBe('In a word: yes.');
    });
  });

  describe('data that is too long', () => {
    verifies('results:fit', 'is stored whole, and its text stays', async () => {
      const all = results();
      const content = {
        rows: Array.from({ length: 500 }, (_, row) => ({ row, name: `Row ${row}` })),
      };
      const fitted = await all.fit(answer('500 rows.', content));
      const whole = `500 rows.\n\nAs data:\n${JSON.stringify(content, undefined, 1)}`;
      expect(all.kept[0]?.text).toBe(whole);
      const { page, content: head } = fitted.envelope;
      expect(head).toBe(whole.slice(0, page?.next));
      expect(fitted.text).toMatch(/^500 rows\.\n\n\[The first \d+ of \d+ characters\. /);
      expect(countTokens(head as string)).toBeLessThanOrEqual(800);
    });

    verifies('results:fit', 'as a text that says more than the answer loses nothing', async () => {
      const all = results();
      const content = lines(500);
      const fitted = await all.fit(answer('In short: yes.', content));
      expect(all.kept[0]?.text).toBe(`In short: yes.\n\nAs data:\n${content}`);
      expect(fitted.text).toMatch(/^In short: yes\.\n\n\[The first /);
      expect(fitted.envelope.content).toMatch(/^In short: yes\.\n\nAs data:\nThis is line 0/);
    });

    test.each(['', 'Before it: '])(
      'a text that contains it is stored once (%j)',
      async (before) => {
        const all = results();
        const content = lines(500);
        const text = `${before}${content}${before === '' ? '[A notice.]' : ''}`;
        const fitted = await all.fit(answer(text, content));
        expect(all.kept[0]?.text).toBe(text);
        expect(fitted.envelope.content).toBe(text.slice(0, fitted.envelope.page?.next));
      },
    );

    test.each(['', 'Before it: '])(
      'with its text in the result already it is stored once (%j)',
      async (before) => {
        const all = results();
        const said = lines(500);
        const text = `${before}${said}\n[A notice.]`;
        const more = { finish: 'stop', citations: [{ url: 'https://example.com' }] };
        await all.fit(answer(text, { text: said, ...more }));
        const data = JSON.stringify(more, undefined, 1);
        expect(all.kept[0]?.text).toBe(`${text}\n\nAs data, beside the text:\n${data}`);
      },
    );

    test('with only a text that is in the result already it adds nothing', async () => {
      const all = results();
      await all.fit(answer(lines(500), { text: lines(500) }));
      expect(all.kept[0]?.text).toBe(lines(500));
    });

    test.each([
      ['an empty text', { text: '', rows: 'x'.repeat(9000) }],
      ['another text', { text: 'No.', rows: 'x'.repeat(9000) }],
      ['a text that is none', { text: ['Yes.'], rows: 'x'.repeat(9000) }],
      ['a list', ['text', 'x'.repeat(9000)]],
    ])('with %s it is kept as it is', async (_, content) => {
      const all = results();
      await all.fit(answer('Yes.', content));
      expect(all.kept[0]?.text).toBe(`Yes.\n\nAs data:\n${JSON.stringify(content, undefined, 1)}`);
    });

    test('both too long: both are heads of the same whole', async () => {
      const all = results();
      const content = { text: lines(500) };
      const fitted = await all.fit(answer(lines(400), content));
      const { page, content: head } = fitted.envelope;
      expect(fitted.text.startsWith(head as string)).toBe(true);
      expect(all.kept[0]?.text.startsWith(head as string)).toBe(true);
      expect(page?.next).toBe((head as string).length);
    });

    test('data that cannot be serialised is left to the transport', async () => {
      const all = results();
      const round: Record<string, unknown> = { text: 'x'.repeat(9000) };
      round['self'] = round;
      const given = answer('Yes.', round);
      expect(await all.fit(given)).toBe(given);
      const long = await all.fit(answer(lines(500), { many: 1n, text: 'x'.repeat(9000) }));
      expect(long.envelope.page).toBeDefined();
      expect(all.kept[0]?.text).toBe(lines(500));
    });
  });

  verifies('results:fit', 'a result that cannot be saved is returned whole', async () => {
    const { fit, failOnce, log, kept } = results();
    failOnce();
    const given = answer(lines(500));
    expect(await fit(given)).toBe(given);
    expect(log.lines).toMatchObject([{ event: 'result_not_stored' }]);
    expect((await fit(given)).envelope.page).toBeDefined();
    expect(kept).toHaveLength(1);
  });

  test('a requested page is not cut again, nor is an input request', async () => {
    const { fit } = results();
    const piece = answer(lines(500));
    const read = { ...piece, envelope: { ...piece.envelope, tool: 'read_result' } };
    expect(await fit(read)).toBe(read);
    const asking = { ...piece, inputRequired: { questions: {}, state: 's' } };
    expect(await fit(asking)).toBe(asking);
  });

  test('the answer of a job has one id, however often it is fetched', async () => {
    const { fit, kept } = results();
    const job = {
      id: 'job_1k75q0acq000zzzzzzzzzz',
      req_id: 'req_1k75q0acq000yyyyyyyyyy',
      finished_at: '2026-01-01T00:00:00.000Z',
    };
    const given = answer(lines(500));
    for (const reqId of ['req_1k75q0acq000aaaaaaaaaa', 'req_1k75q0acq000bbbbbbbbbb']) {
      const { page } = (
        await fit({ ...given, envelope: { ...given.envelope, job, req_id: reqId } })
      ).envelope;
      expect(page?.id).toBe('res_1k75q0acq000yyyyyyyyyy');
    }
    expect(kept).toHaveLength(1);
    // How it stood at some moment is another text each time.
    const running = { ...given.envelope, job: { id: job.id } };
    expect((await fit({ ...given, envelope: running })).envelope.page?.id).toBe(RES_ID);
  });

  describe('reading on', () => {
    const refusal = (reading: Promise<unknown>) =>
      reading.then(
        () => expect.unreachable('it was not refused'),
        (error: CallError) => [error.class, error.field],
      );

    test('any part, to the end and not past it', async () => {
      const { fit, read } = results();
      const text = lines(500);
      await fit(answer(text));
      expect(await read('ann', RES_ID, 10, 20)).toMatchObject({
        offset: 10,
        chars: text.length,
        text: text.slice(10, 30),
        tool: 'chat',
      });
      expect(await read('ann', RES_ID, text.length)).toMatchObject({ text: '' });
      expect(await refusal(read('ann', RES_ID, text.length + 1))).toEqual(['validation', 'offset']);
    });

    test('of what is no id, is gone, or is another’s there is nothing', async () => {
      const { fit, read } = results();
      await fit(answer(lines(500)));
      expect(await refusal(read('mallory', RES_ID, 0))).toEqual(['not_found', 'id']);
      expect(await refusal(read('ann', 'res_1k75q0acq000yyyyyyyyyy', 0))).toEqual([
        'not_found',
        'id',
      ]);
      // The same request would fail again: only a new call helps.
      await expect(read('mallory', RES_ID, 0)).rejects.toMatchObject({
        reason: { code: 'unknown_result', params: { id: RES_ID } },
        fixes: [{ kind: 'advice', params: { text: expect.stringContaining('as a new call') } }],
      });
      for (const id of ['', 'res_', REQ_ID, 'res_'.repeat(5000), '../../etc', '__proto__']) {
        expect(await refusal(read('ann', id, 0))).toEqual(['validation', 'id']);
      }
    });
  });

  describe('calls with pages', () => {
    const probed = () => {
      const probe = probeTool();
      const { calls } = createTestCalls([probe.tool]);
      const all = results();
      return { probe, all, paged: withResultPaging(calls, all.all) };
    };
    const request = { tool: 'probe', args: {}, caller: OWNER, transport: 'ws', session: 's' };

    test('a client that says what it takes gets that', async () => {
      const { probe, paged, all } = probed();
      const running = paged.start({ ...request, maxTokens: MAX_TOKENS });
      probe.run().answer({ text: lines(500) });
      const { envelope } = await running.answer;
      expect(envelope.page?.id).toBe(`res_${running.reqId.slice(4)}`);
      expect(all.kept).toMatchObject([{ principal: 'local', tool: 'probe', reqId: running.reqId }]);
    });

    test('one that says nothing gets all', async () => {
      const { probe, paged } = probed();
      const running = paged.start(request);
      probe.run().answer({ text: lines(500) });
      expect((await running.answer).text).toBe(lines(500));
    });
  });
});
