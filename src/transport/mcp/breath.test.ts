import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createTestSession, notification, request, success } from './session.fixture.ts';

type Told = { readonly params: { readonly progressToken: string; readonly message?: string } };

function underWay(tokens: readonly string[]) {
  const session = createTestSession();
  const { say, channel } = session;
  for (const [id, progressToken] of tokens.entries()) {
    say(request(id, 'tools/call', { name: 'wait', _meta: { progressToken } }));
  }
  const told = () =>
    (channel.take() as Told[]).map(({ params }) => `${params.progressToken}: ${params.message}`);
  return { ...session, told };
}

verifies('progress:alive', 'a client hears at least every ten seconds that its call runs', () => {
  const { clock, told, calls } = underWay(['a']);
  const [call] = calls.started;
  let silentMs = 0;
  for (let turn = 0; turn < 600; turn += 1) {
    if (turn === 50) call?.request.onAdmitted?.({ timeoutMs: 90_000 });
    // Whatever else is told, at moments that have nothing to do with the timer's.
    if (turn % 47 === 0) call?.request.onProgress?.({ note: 'step' });
    clock.advance(100);
    silentMs = told().length > 0 ? 0 : silentMs + 100;
    expect(silentMs).toBeLessThanOrEqual(10_000);
  }
});

test('it says for how long, and whether it still waits for its turn', () => {
  const { clock, told, calls } = underWay(['a']);
  clock.advance(5000);
  expect(told()).toEqual(['a: awaiting capacity, 5 s']);
  calls.started[0]?.request.onAdmitted?.({ timeoutMs: 90_000 });
  clock.advance(25_000);
  expect(told().at(-1)).toBe('a: running, 30 s');
});

test('one timer serves all calls of a session, and none waits when nobody is told', async () => {
  const { clock, told, calls, channel, say } = underWay(['a', 'b', 'c']);
  expect(clock.waiting).toBe(1);
  clock.advance(5000);
  expect(told()).toEqual(['a', 'b', 'c'].map((token) => `${token}: awaiting capacity, 5 s`));
  calls.started[0]?.answer(success('wait', 'req_1', 1));
  await channel.next(1);
  say(notification('notifications/cancelled', { requestId: 1 }));
  clock.advance(5000);
  expect(told()).toEqual(['c: awaiting capacity, 10 s']);
  say(notification('notifications/cancelled', { requestId: 2 }));
  clock.advance(5000);
  expect([told(), clock.waiting]).toEqual([[], 0]);
  say(request(9, 'tools/call', { name: 'wait' }));
  expect(clock.waiting).toBe(0);
});

test('who reads slowly is spared it, and who is gone leaves no timer behind', () => {
  const { clock, told, channel, session } = underWay(['a']);
  channel.isClear = false;
  clock.advance(60_000);
  expect(told()).toEqual([]);
  session.onClose();
  expect(clock.waiting).toBe(0);
});

test('who gets the answer as it comes hears of silence, too, and counts go on growing', () => {
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
