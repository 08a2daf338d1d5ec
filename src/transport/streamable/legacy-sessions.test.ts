import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '#core/call.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { readMessage, type RpcMessage, type RpcRequest } from '../mcp/read-message.ts';
import { createFakeMcps, notification } from './fake-mcp.fixture.ts';
import { createFakeOut, messagesOf, type FakeOut, type SeenEvent } from './fake-out.fixture.ts';
import type { LegacySession } from './legacy-session.ts';
import { createLegacySessions, type SessionsOptions } from './legacy-sessions.ts';
import { createStreamLines, type StreamTimes } from './stream-lines.ts';

const OWNER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
const IDLE_MS = 60_000;
const DAY_MS = 86_400_000;

function create(options: Partial<SessionsOptions & StreamTimes> = {}) {
  const clock = createFakeClock();
  const { openMcp, sessions: mcps } = createFakeMcps();
  const times = { streamAfterMs: 1000, streamForMs: 0, sseKeepaliveMs: 15_000 };
  const lines = createStreamLines(clock, { ...times, ...options });
  let made = 0;
  const sessions = createLegacySessions({
    openMcp,
    isGood: () => true,
    newSession: () => `session-${++made}`,
    clock,
    lines,
    maxSessions: 100,
    sessionIdleMs: IDLE_MS,
    ...options,
  });
  /** A session that is open, and what speaks in it. */
  const open = (protocolVersion = '2025-11-25', caller = OWNER) => {
    const session = sessions.open(caller);
    if (!session) throw new Error('no room');
    ask(session, 'init', 'initialize', { protocolVersion });
    const mcp = mcps.at(-1);
    if (!mcp) throw new Error('no session');
    return { session, mcp };
  };
  return { clock, lines, sessions, mcps, open };
}

function ask(
  session: LegacySession,
  id: string | number,
  method = 'work',
  params: Record<string, unknown> = {},
): FakeOut {
  const out = createFakeOut();
  const refusal = session.ask(request(id, method, params), out);
  if (refusal) throw new Error(refusal.message);
  return out;
}

function request(id: string | number, method: string, params = {}): RpcRequest {
  return { is: 'request', id, method, params };
}

function read(message: object): Exclude<RpcMessage, RpcRequest> {
  const given = readMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  if (given.is === 'unreadable' || given.is === 'request') throw new Error('a request');
  return given;
}

function listen(session: LegacySession): FakeOut {
  const out = createFakeOut();
  const refusal = session.listen(out);
  if (refusal) throw new Error(refusal.message);
  return out;
}

function resume(session: LegacySession, lastEventId: string): FakeOut {
  const out = createFakeOut();
  const refusal = session.resume(lastEventId, out);
  if (refusal) throw new Error(refusal.message);
  return out;
}

const lastId = (out: FakeOut) => out.events().at(-1)?.id ?? '';
const reply = (id: string | number) => JSON.stringify({ jsonrpc: '2.0', id, result: 'done' });

test('an answer that is the first thing said is one JSON text', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.answer(1);
  expect(out).toMatchObject({ is: 'answered', status: 200, body: reply(1), headers: [] });
});

test('the answer to initialize names the session; a refused one leaves none behind', () => {
  const { sessions, mcps } = create();
  const good = sessions.open(OWNER);
  const out = createFakeOut();
  good?.ask(request(1, 'initialize', { protocolVersion: '2025-11-25' }), out);
  expect(out.headers).toEqual(['mcp-session-id', 'session-1']);
  const bad = sessions.open(OWNER);
  const refused = createFakeOut();
  bad?.ask(request(1, 'bad'), refused);
  mcps[1]?.line.reply(1, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}');
  expect([refused.is, refused.headers, sessions.size]).toEqual(['answered', [], 1]);
  expect(mcps[1]?.closes).toBe(1);
});

test('a session whose first client hung up before it knew of it is not kept', () => {
  const { sessions, mcps } = create();
  const out = createFakeOut();
  sessions.open(OWNER)?.ask(request(1, 'slow'), out);
  out.hangUp();
  mcps[0]?.answer(1, { protocolVersion: '2025-11-25' });
  expect([sessions.size, mcps[0]?.closes]).toEqual([0, 1]);
});

test('what is said during a request makes its answer a stream, which begins with where it is', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.notify('half', 1);
  expect(out.body).toMatch(/^id: 2-0\nretry: 1000\ndata: \n\nevent: message\nid: 2-1\ndata: /);
  mcp.answer(1);
  expect([out.is, out.messages()]).toEqual(['ended', [notification('half'), reply(1)]]);
});

test('clients before 2025-11-25 get no event without data', () => {
  const { open } = create();
  const { session, mcp } = open('2025-06-18');
  const out = ask(session, 1);
  mcp.notify('half', 1);
  mcp.answer(1);
  expect(out.events().map(({ id }) => id)).toEqual(['2-1', '2-2']);
});

test('an answer that takes long becomes a stream and shows signs of life', () => {
  const { clock, open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  clock.advance(999);
  expect(out.is).toBe('waiting');
  clock.advance(1);
  expect([out.is, out.messages()]).toEqual(['streaming', []]);
  clock.advance(45_000);
  expect(out.body.match(/^: /gm)).toHaveLength(3);
  mcp.answer(1);
  expect([out.is, out.messages()]).toEqual(['ended', [reply(1)]]);
});

test('every answer is a stream when told so', () => {
  const { open } = create({ streamAfterMs: 0 });
  const { session } = open();
  const out = ask(session, 1, 'ping');
  expect([out.is, out.messages().length]).toEqual(['ended', 1]);
});

test('a stream may end before its answer; who comes back gets it and keeps the stream', () => {
  const { clock, open } = create({ streamForMs: 300 });
  const { session, mcp } = open();
  const out = ask(session, 1);
  clock.advance(1300);
  expect([out.is, out.messages()]).toEqual(['ended', []]);
  const back = resume(session, lastId(out));
  clock.advance(10_000);
  expect(back.is).toBe('streaming');
  mcp.answer(1);
  expect([back.is, back.messages()]).toEqual(['ended', [reply(1)]]);
  const old = open('2025-06-18');
  const stays = ask(old.session, 1);
  clock.advance(10_000);
  expect(stays.is).toBe('streaming');
});

test('who hangs up before anything was said has cancelled nothing, and its id stays taken', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  out.hangUp();
  expect([mcp.closes, mcp.received.length]).toEqual([0, 2]);
  expect(session.ask(request(1, 'work'), createFakeOut())).toMatchObject({ status: 400 });
  mcp.notify('to nobody', 1);
  mcp.answer(1);
  expect(ask(session, 1).is).toBe('waiting');
});

test('a stream that broke off is resumed with nothing lost and nothing said twice', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.notify('a', 1);
  mcp.notify('b', 1);
  out.hangUp();
  mcp.notify('c', 1);
  // It had read the first alone; what the machine took for the rest never arrived.
  const back = resume(session, '2-1');
  expect(back.messages()).toEqual([notification('b'), notification('c')]);
  mcp.notify('d', 1);
  mcp.answer(1);
  expect(back.messages().slice(2)).toEqual([notification('d'), reply(1)]);
  const again = resume(session, '2-4');
  expect([again.is, again.messages()]).toEqual(['ended', [reply(1)]]);
  const end = resume(session, lastId(again));
  expect([end.is, end.messages()]).toEqual(['ended', []]);
});

test('who comes back takes the stream over from a connection that only looks alive', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.notify('a', 1);
  const back = resume(session, '2-0');
  expect(out.is).toBe('cut');
  mcp.answer(1);
  expect([out.messages(), back.messages()]).toEqual([
    [notification('a')],
    [notification('a'), reply(1)],
  ]);
});

test.each(['2-9', '9-1', 'x', '', '2-1-1', '-1', '2--1', '1-0', `${'9'.repeat(400)}-1`])(
  'the event id %j is refused in words',
  (id) => {
    const { open } = create();
    const { session, mcp } = open();
    ask(session, 1);
    mcp.notify('a', 1);
    expect(session.resume(id, createFakeOut())).toMatchObject({
      status: 400,
      message: expect.stringContaining('Last-Event-ID') as string,
    });
  },
);

test('what was cut off for want of room is refused, never given in part', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  for (let n = 1; n <= 1500; n++) mcp.notify(`note ${n}`, 1);
  out.hangUp();
  expect(session.resume('2-499', createFakeOut())).toMatchObject({ status: 400 });
  expect(resume(session, '2-500').messages()).toHaveLength(1000);
});

test('a large answer is kept whatever its size, at the cost of what was read before', () => {
  const { open } = create();
  const { session, mcp } = open();
  const first = ask(session, 1);
  mcp.notify('a', 1);
  mcp.answer(1);
  const second = ask(session, 2);
  mcp.notify('b', 2);
  second.hangUp();
  mcp.answer(2, 'x'.repeat(5_000_000));
  expect(session.resume(lastId(first), createFakeOut())).toMatchObject({ status: 400 });
  expect(session.resume('3-0', createFakeOut())).toMatchObject({ status: 400 });
  expect(resume(session, '3-1').messages()).toHaveLength(1);
});

test('what all sessions keep together is bounded; the idle forget first', () => {
  const { open } = create({ maxLogChars: 100_000 });
  const idle = open();
  const first = ask(idle.session, 1);
  idle.mcp.notify('x'.repeat(40_000), 1);
  idle.mcp.answer(1);
  const busy = open();
  const out = ask(busy.session, 1);
  busy.mcp.notify('x'.repeat(30_000), 1);
  busy.mcp.notify('x'.repeat(40_000), 1);
  expect(idle.session.resume('2-1', createFakeOut())).toMatchObject({ status: 400 });
  out.hangUp();
  expect(first.messages()).toHaveLength(2);
});

test('what belongs to no request waits for somebody to listen, then goes out at once', () => {
  const { open } = create();
  const { session, mcp } = open();
  mcp.notify('early');
  const out = listen(session);
  expect(out.messages()).toEqual([notification('early')]);
  mcp.notify('now');
  expect(out.messages()).toEqual([notification('early'), notification('now')]);
  expect(session.listen(createFakeOut())).toMatchObject({ status: 409 });
  out.hangUp();
  mcp.notify('while away');
  expect(listen(session).messages()).toEqual([notification('while away')]);
});

test('the stream of what belongs to no request is resumed like any other', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = listen(session);
  mcp.notify('a');
  mcp.notify('b');
  out.hangUp();
  mcp.notify('c');
  const back = resume(session, '0-1');
  expect(back.messages()).toEqual([notification('b'), notification('c')]);
  expect(back.is).toBe('streaming');
  expect(session.listen(createFakeOut())).toMatchObject({ status: 409 });
});

test('a request that is cancelled is not answered, and whoever waits is let go', () => {
  const { open } = create();
  const { session, mcp } = open();
  const [waiting, streaming] = [ask(session, 1), ask(session, 'two')];
  mcp.notify('half', 'two');
  for (const requestId of [1, 'two', 'unknown', { an: 'object' }]) {
    session.tell(read({ method: 'notifications/cancelled', params: { requestId } }));
  }
  expect([waiting.is, waiting.body]).toEqual(['ended', '']);
  expect([streaming.is, streaming.messages()]).toEqual(['ended', [notification('half')]]);
  mcp.answer(1);
  expect(waiting.body).toBe('');
});

test('who reads too slowly is cut, and may come back for what is kept', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.notify('a', 1);
  out.unread = 2 * 1024 * 1024;
  expect(mcp.line.isClear(1)).toBe(false);
  out.unread = 17 * 1024 * 1024;
  mcp.notify('b', 1);
  expect(out.is).toBe('cut');
  mcp.answer(1);
  expect(resume(session, '2-1').messages()).toEqual([notification('b'), reply(1)]);
});

test('what may be left out is left out while nobody reads and much waits', () => {
  const { open } = create();
  const { session, mcp } = open();
  expect([mcp.line.isClear(), mcp.line.isClear(99)]).toEqual([true, false]);
  for (let n = 0; n < 256; n++) mcp.notify('x');
  expect(mcp.line.isClear()).toBe(false);
  listen(session);
  expect(mcp.line.isClear()).toBe(true);
});

test('a session that is ended lets everybody go and cancels what runs', () => {
  const { clock, sessions, open } = create();
  const { session, mcp } = open();
  const [waiting, streaming, listening] = [ask(session, 1), ask(session, 2), listen(session)];
  mcp.notify('half', 2);
  session.end();
  session.end();
  expect([waiting.status, streaming.is, listening.is]).toEqual([404, 'ended', 'ended']);
  expect(JSON.parse(waiting.body)).toMatchObject({ id: 1, error: { code: -32_001 } });
  expect([mcp.closes, sessions.size]).toEqual([1, 0]);
  mcp.answer(1);
  mcp.notify('late');
  expect(session.ask(request(3, 'work'), createFakeOut())).toMatchObject({ status: 404 });
  clock.advance(DAY_MS);
  expect(clock.waiting).toBe(0);
});

test('a session that nobody uses ends; running requests and open streams use it', () => {
  const { clock, sessions, open } = create();
  const used = open();
  const out = ask(used.session, 1);
  const listened = open();
  const stream = listen(listened.session);
  open();
  clock.advance(IDLE_MS - 1);
  expect(sessions.size).toBe(3);
  clock.advance(1);
  expect(sessions.size).toBe(2);
  used.mcp.answer(1);
  stream.hangUp();
  clock.advance(IDLE_MS - 1);
  expect([sessions.size, out.is]).toEqual([2, 'ended']);
  expect(sessions.find('session-1', OWNER)).toBe(used.session);
  clock.advance(1);
  expect(sessions.size).toBe(1);
  clock.advance(IDLE_MS);
  expect(sessions.size).toBe(0);
});

test('a full house lets the one go that was idle longest; if all are busy nobody comes in', () => {
  const { clock, sessions, open } = create({ maxSessions: 2 });
  const [first, second] = [open(), open()];
  clock.advance(1);
  sessions.find(first.session.id, OWNER);
  const third = open();
  expect([first.mcp.closes, second.mcp.closes]).toEqual([0, 1]);
  ask(first.session, 1);
  listen(third.session);
  expect(sessions.open(OWNER)).toBeUndefined();
});

test.each([
  ['principal', { principal: 'other' }],
  ['credential', { credential: 'client_x' }],
  ['agent', { agent: 'x' }],
])('a session belongs to its %s', (_, difference) => {
  const { sessions, open } = create();
  const { session } = open();
  expect(sessions.find(session.id, { ...OWNER, ...difference })).toBeUndefined();
  expect(sessions.find(session.id, { ...OWNER, scopes: ['other'] })).toBe(session);
});

test('a session whose token was taken away hears nothing more', () => {
  let isGood = true;
  const { clock, sessions, open } = create({ isGood: () => isGood });
  const [told, silent] = [open(), open()];
  const [one, other] = [listen(told.session), listen(silent.session)];
  isGood = false;
  told.mcp.notify('secret');
  expect([one.is, one.messages(), sessions.size]).toEqual(['ended', [], 1]);
  clock.advance(15_000);
  expect([other.is, sessions.size]).toEqual(['ended', 0]);
});

test('a draining session closes its stream, answers what runs and then ends', async () => {
  const { sessions, open } = create();
  const { session, mcp } = open();
  const [out, stream] = [ask(session, 1), listen(session)];
  const drained = sessions.drain();
  expect(stream.is).toBe('ended');
  mcp.answer(1);
  mcp.settle();
  await drained;
  expect([out.body, sessions.size, mcp.closes]).toEqual([reply(1), 0, 1]);
});

test('a thousand streams, half of them dropped, leave nothing behind', () => {
  const { clock, lines, sessions, open } = create({ maxSessions: 2000 });
  const all = Array.from({ length: 1000 }, () => {
    const { session, mcp } = open();
    const out = listen(session);
    const answer = ask(session, 1);
    mcp.notify('half', 1);
    return { mcp, out, answer };
  });
  for (const [index, { out, answer }] of all.entries()) {
    if (index % 2 === 0) [out.hangUp(), answer.hangUp()];
  }
  expect(lines.keepalive.size).toBe(1000);
  for (const { mcp } of all) mcp.answer(1);
  for (const { out } of all) out.hangUp();
  expect([lines.keepalive.size, lines.slow?.size]).toEqual([0, 0]);
  clock.advance(DAY_MS);
  expect([sessions.size, lines.old.size, clock.waiting]).toEqual([0, 0, 0]);
  expect(all.every(({ mcp }) => mcp.closes === 1)).toBe(true);
});

/** A client that drops its connection now and then, having read a part of what was written, and comes back. */
interface Client {
  out: FakeOut;
  /** How much of what is written in `out` it has read. */
  readonly seen: SeenEvent[];
}

const step = fc.oneof(
  fc.constant({ is: 'say' } as const),
  fc.record({ is: fc.constant('drop' as const), unread: fc.nat({ max: 3 }) }),
  fc.constant({ is: 'resume' } as const),
  fc.constant({ is: 'tick' } as const),
);

test('whenever a connection drops, a client that comes back sees everything once and in order', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<'answer' | 'unsolicited'>('answer', 'unsolicited'),
      fc.array(step, { maxLength: 60 }),
      (kind, steps) => {
        const { clock, open } = create({ streamForMs: 5000 });
        const { session, mcp } = open();
        const about = kind === 'answer' ? 1 : undefined;
        const client: Client = {
          out: kind === 'answer' ? ask(session, 1) : listen(session),
          seen: [],
        };
        const said: string[] = [];
        const say = (note: string) => {
          said.push(notification(note));
          mcp.notify(note, about);
        };
        /** It reads all but the last few events, which were written but never arrived. */
        const readUpTo = (unread: number) => {
          const events = client.out.events();
          client.seen.push(...events.slice(0, Math.max(0, events.length - unread)));
        };
        const comeBack = () => {
          const last = client.seen.findLast(({ id }) => id !== undefined)?.id;
          if (last === undefined) return;
          client.out = resume(session, last);
        };
        say('first');
        for (const [index, { is, ...about_ }] of steps.entries()) {
          if (is === 'say') say(`note ${index}`);
          else if (is === 'tick') clock.advance(3000);
          else if (is === 'drop' && client.out.is === 'streaming') {
            // Never the first one, which says where to come back to.
            const { unread = 0 } = about_ as { unread?: number };
            const isNew = client.seen.length === 0;
            readUpTo(Math.min(unread, client.out.events().length - (isNew ? 1 : 0)));
            client.out.hangUp();
          } else if (is === 'resume' && client.out.is === 'cut') comeBack();
          if (client.out.is === 'ended') {
            readUpTo(0);
            client.out.is = 'cut';
          }
        }
        if (client.out.is === 'cut') comeBack();
        if (kind === 'answer') {
          mcp.answer(1);
          said.push(reply(1));
        }
        readUpTo(0);
        expect(messagesOf(client.seen)).toEqual(said);
      },
    ),
    { numRuns: 500 },
  );
});
