import { describe, expect, test } from 'vitest';
import type { Progress } from '#core/calls/call.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  createTestSession,
  notification,
  request,
  success,
  type TestSession,
} from './session.fixture.ts';

describe('progress', () => {
  type Params = Record<string, unknown> & { readonly _meta?: { readonly 'exai/text'?: string } };

  /** A running call with a client that gets progress. */
  function underWay(
    meta: object,
  ): TestSession & { step: (given: Progress) => void; sentParams: () => Params[] } {
    const session = createTestSession();
    const { say, calls, channel } = session;
    say(request(1, 'tools/call', { name: 'wait', _meta: { progressToken: 'p', ...meta } }));
    return {
      ...session,
      step: (given) => calls.started[0]?.request.onProgress?.(given),
      sentParams: () => (channel.take() as { params: Params }[]).map(({ params }) => params),
    };
  }

  const STREAM = { 'exai/stream': true };

  verifies(
    'mcp:progress',
    'a client that asks for it gets the answer as it comes, beside its progress',
    () => {
      const { step, sentParams } = underWay(STREAM);
      step({ note: 'asking' });
      step({ text: 'one ' });
      step({ text: '' });
      step({ text: 'two', note: 'still asking' });
      expect(sentParams()).toEqual([
        { progressToken: 'p', progress: 0, message: 'asking' },
        { progressToken: 'p', progress: 1, _meta: { 'exai/text': 'one ' } },
        { progressToken: 'p', progress: 2, message: 'still asking', _meta: { 'exai/text': 'two' } },
      ]);
    },
  );

  verifies(
    'mcp:progress',
    'what a slow reader was spared comes with the next piece, and nothing is missing in between',
    () => {
      const { step, sentParams, channel } = underWay(STREAM);
      step({ text: 'a' });
      channel.isClear = false;
      step({ text: 'b' });
      step({ text: 'c', note: 'left out' });
      channel.isClear = true;
      step({ text: 'd' });
      step({ note: 'end' });
      expect(sentParams().map(({ _meta, message }) => [_meta?.['exai/text'], message])).toEqual([
        ['a', undefined],
        ['bcd', undefined],
        [undefined, 'end'],
      ]);
    },
  );

  test('a client that reads far too slowly gets the rest with the answer, and never a part after a gap', () => {
    const { step, sentParams, channel } = underWay(STREAM);
    channel.isClear = false;
    const piece = 'x'.repeat(100_000);
    for (let count = 0; count < 100; count += 1) step({ text: piece });
    channel.isClear = true;
    step({ text: 'after the gap' });
    step({ text: 'and after that' });
    const texts = sentParams().map(({ _meta }) => _meta?.['exai/text'] ?? '');
    expect(texts.join('')).toBe(piece.repeat(10));
  });

  test.each([
    [{}],
    [{ 'exai/stream': false }],
    [{ 'exai/stream': 'true' }],
    [{ 'exai/stream': 1 }],
  ])('a client without streaming gets the length once a second, and never the text: %j', (meta) => {
    const { step, sentParams, clock } = underWay(meta);
    for (let count = 0; count < 1_000; count += 1) step({ text: 'word ' });
    expect(sentParams()).toEqual([
      { progressToken: 'p', progress: 0, message: 'about 2 tokens so far' },
    ]);
    clock.advance(999);
    step({ text: 'word ' });
    expect(sentParams()).toEqual([]);
    clock.advance(1);
    step({ text: 'word ' });
    step({ text: 'word ', note: 'glm-5.3 goes on' });
    expect(sentParams()).toEqual([
      { progressToken: 'p', progress: 1, message: 'about 1253 tokens so far' },
      { progressToken: 'p', progress: 2, message: 'glm-5.3 goes on' },
    ]);
  });

  test('a client without a token gets nothing, whatever else it requests', () => {
    const { say, calls } = createTestSession();
    say(request(1, 'tools/call', { name: 'wait', _meta: STREAM }));
    expect(calls.started[0]?.request).not.toHaveProperty('onProgress');
  });

  test('after the answer no progress is sent', async () => {
    const { step, sentParams, calls, channel } = underWay(STREAM);
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    await channel.next(1);
    step({ text: 'late' });
    expect(sentParams()).toEqual([]);
  });
});

describe('heartbeat', () => {
  type Told = { readonly params: { readonly progressToken: string; readonly message?: string } };

  function underWay(tokens: readonly string[]) {
    const session = createTestSession();
    const { say, channel } = session;
    for (const [id, progressToken] of tokens.entries()) {
      say(request(id, 'tools/call', { name: 'wait', _meta: { progressToken } }));
    }
    const sentParams = () =>
      (channel.take() as Told[]).map(({ params }) => `${params.progressToken}: ${params.message}`);
    return { ...session, sentParams };
  }

  verifies(
    'progress:alive',
    'a client gets progress of its running call at least every ten seconds',
    () => {
      const { clock, sentParams, calls } = underWay(['a']);
      const [call] = calls.started;
      let silentMs = 0;
      for (let turn = 0; turn < 600; turn += 1) {
        if (turn === 50) call?.request.onAdmitted?.({ timeoutMs: 90_000 });
        // Other progress, at times unrelated to the timer.
        if (turn % 47 === 0) call?.request.onProgress?.({ note: 'step' });
        clock.advance(100);
        silentMs = sentParams().length > 0 ? 0 : silentMs + 100;
        expect(silentMs).toBeLessThanOrEqual(10_000);
      }
    },
  );

  test('it contains the elapsed time, and whether the call is still queued', () => {
    const { clock, sentParams, calls } = underWay(['a']);
    clock.advance(5000);
    expect(sentParams()).toEqual(['a: awaiting capacity, 5 s']);
    calls.started[0]?.request.onAdmitted?.({ timeoutMs: 90_000 });
    clock.advance(25_000);
    expect(sentParams().at(-1)).toBe('a: running, 30 s');
  });

  test('one timer serves all calls of a session, and none runs without a client to notify', async () => {
    const { clock, sentParams, calls, channel, say } = underWay(['a', 'b', 'c']);
    expect(clock.waiting).toBe(1);
    clock.advance(5000);
    expect(sentParams()).toEqual(
      ['a', 'b', 'c'].map((token) => `${token}: awaiting capacity, 5 s`),
    );
    calls.started[0]?.answer(success('wait', 'req_1', 1));
    await channel.next(1);
    say(notification('notifications/cancelled', { requestId: 1 }));
    clock.advance(5000);
    expect(sentParams()).toEqual(['c: awaiting capacity, 10 s']);
    say(notification('notifications/cancelled', { requestId: 2 }));
    clock.advance(5000);
    expect([sentParams(), clock.waiting]).toEqual([[], 0]);
    say(request(9, 'tools/call', { name: 'wait' }));
    expect(clock.waiting).toBe(0);
  });

  test('who reads slowly is spared it, and who is gone leaves no timer behind', () => {
    const { clock, sentParams, channel, session } = underWay(['a']);
    channel.isClear = false;
    clock.advance(60_000);
    expect(sentParams()).toEqual([]);
    session.onClose();
    expect(clock.waiting).toBe(0);
  });

  test('a streaming client gets heartbeats, too, and counts keep growing', () => {
    const session = createTestSession();
    const { say, channel, calls, clock } = session;
    const _meta = { progressToken: 'p', 'exai/stream': true };
    say(request(1, 'tools/call', { name: 'wait', _meta }));
    const [call] = calls.started;
    call?.request.onProgress?.({ done: 1, total: 3 });
    clock.advance(20_000);
    call?.request.onProgress?.({ done: 2, total: 3 });
    const counts = (channel.take() as { params: { progress: number } }[]).map(
      ({ params }) => params.progress,
    );
    expect(counts).toHaveLength(6);
    expect(counts.every((count, at) => at === 0 || count > (counts[at - 1] ?? 0))).toBe(true);
  });
});
