import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { notification } from './fake-mcp.fixture.ts';
import { SESSION_ENDED } from './refusal.ts';
import { createFakeOut } from './fake-sink.fixture.ts';
import {
  OWNER,
  IDLE_MS,
  DAY_MS,
  create,
  ask,
  request,
  read,
  listen,
  resume,
  reply,
} from './legacy-sessions.fixture.ts';

const callerOf = (principal: string) => ({ ...OWNER, principal, credential: principal });

verifies('http:streamable', 'an answer without earlier messages is plain JSON', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.answer(1);
  expect(out).toMatchObject({ is: 'answered', status: 200, body: reply(1), headers: [] });
});

verifies(
  'http:sessions',
  'the answer to initialize names the session; a refused one leaves none behind',
  () => {
    const { sessions, mcps } = create();
    const good = sessions.open(OWNER);
    const out = createFakeOut();
    good?.handleRequest(request(1, 'initialize', { protocolVersion: '2025-11-25' }), out);
    expect(out.headers).toEqual(['mcp-session-id', 'session-1']);
    const bad = sessions.open(OWNER);
    const refused = createFakeOut();
    bad?.handleRequest(request(1, 'bad'), refused);
    mcps[1]?.sink.reply(1, '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}');
    expect([refused.is, refused.headers, sessions.size]).toEqual(['answered', [], 1]);
    expect(mcps[1]?.closes).toBe(1);
  },
);

test('a session whose first client hung up before it knew of it is not kept', () => {
  const { sessions, mcps } = create();
  const out = createFakeOut();
  sessions.open(OWNER)?.handleRequest(request(1, 'slow'), out);
  out.hangUp();
  mcps[0]?.answer(1, { protocolVersion: '2025-11-25' });
  expect([sessions.size, mcps[0]?.closes]).toEqual([0, 1]);
});

verifies(
  'http:streamable',
  'a message during a request makes its answer a stream, which begins with its event id',
  () => {
    const { open } = create();
    const { session, mcp } = open();
    const out = ask(session, 1);
    mcp.notify('half', 1);
    expect(out.body).toMatch(/^id: 2-0\nretry: 1000\ndata: \n\nevent: message\nid: 2-1\ndata: /);
    mcp.answer(1);
    expect([out.is, out.messages()]).toEqual(['ended', [notification('half'), reply(1)]]);
  },
);

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

test('every answer is a stream if configured', () => {
  const { open } = create({ streamAfterMs: 0 });
  const { session } = open();
  const out = ask(session, 1, 'ping');
  expect([out.is, out.messages().length]).toEqual(['ended', 1]);
});

test('a disconnect before the first message cancels nothing, and the id stays in use', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  out.hangUp();
  expect([mcp.closes, mcp.received.length]).toEqual([0, 2]);
  expect(session.handleRequest(request(1, 'work'), createFakeOut())).toMatchObject({ status: 400 });
  mcp.notify('to nobody', 1);
  mcp.answer(1);
  expect(ask(session, 1).is).toBe('waiting');
});

verifies('http:limits', 'what all sessions keep together is bounded; the idle forget first', () => {
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

test('unsolicited messages wait for a listening client, then go out at once', () => {
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

test('a cancelled request is not answered, and its response ends', () => {
  const { open } = create();
  const { session, mcp } = open();
  const [waiting, streaming] = [ask(session, 1), ask(session, 'two')];
  mcp.notify('half', 'two');
  for (const requestId of [1, 'two', 'unknown', { an: 'object' }]) {
    session.handleMessage(read({ method: 'notifications/cancelled', params: { requestId } }));
  }
  expect([waiting.is, waiting.body]).toEqual(['ended', '']);
  expect([streaming.is, streaming.messages()]).toEqual(['ended', [notification('half')]]);
  mcp.answer(1);
  expect(waiting.body).toBe('');
});

verifies('http:limits', 'who reads too slowly is cut, and may come back for what is kept', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.notify('a', 1);
  out.bufferedBytes = 2 * 1024 * 1024;
  expect(mcp.sink.isClear(1)).toBe(false);
  out.bufferedBytes = 17 * 1024 * 1024;
  mcp.notify('b', 1);
  expect(out.is).toBe('cut');
  mcp.answer(1);
  expect(resume(session, '2-1').messages()).toEqual([notification('b'), reply(1)]);
});

test('optional messages are skipped while no client reads and much waits', () => {
  const { open } = create();
  const { session, mcp } = open();
  expect([mcp.sink.isClear(), mcp.sink.isClear(99)]).toEqual([true, false]);
  for (let n = 0; n < 256; n++) mcp.notify('x');
  expect(mcp.sink.isClear()).toBe(false);
  listen(session);
  expect(mcp.sink.isClear()).toBe(true);
});

verifies('http:sessions', 'an ended session answers all waiting requests and cancels them', () => {
  const { clock, sessions, open } = create();
  const { session, mcp } = open();
  const [waiting, streaming, listening] = [ask(session, 1), ask(session, 2), listen(session)];
  mcp.notify('half', 2);
  session.end(SESSION_ENDED);
  session.end(SESSION_ENDED);
  expect([waiting.status, streaming.is, listening.is]).toEqual([200, 'ended', 'ended']);
  const error = { code: -31_067, data: { error_class: 'interrupted' } };
  expect(JSON.parse(waiting.body)).toMatchObject({ id: 1, error });
  const [half, last = ''] = streaming.messages();
  expect([half, JSON.parse(last)]).toMatchObject([notification('half'), { id: 2, error }]);
  expect([mcp.closes, sessions.size]).toEqual([1, 0]);
  mcp.answer(1);
  mcp.notify('late');
  expect(session.handleRequest(request(3, 'work'), createFakeOut())).toMatchObject({
    status: 404,
  });
  clock.advance(DAY_MS);
  expect(clock.waiting).toBe(0);
});

verifies('http:sessions', 'an idle session ends; running requests and open streams keep it', () => {
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

verifies(
  'http:limits',
  'at the limit the longest idle session ends; if all are busy, no new one opens',
  () => {
    const { clock, sessions, open } = create({ maxSessions: 2 });
    const [first, second] = [open(), open()];
    clock.advance(1);
    sessions.find(first.session.id, OWNER);
    const third = open();
    expect([first.mcp.closes, second.mcp.closes]).toEqual([0, 1]);
    ask(first.session, 1);
    listen(third.session);
    expect(sessions.open(OWNER)).toBeUndefined();
  },
);

verifies(
  'http:limits',
  'only the owner gets more than half of the sessions, or those of a principal with fewer',
  () => {
    const { clock, sessions, open } = create({ maxSessions: 4 });
    const [low, mid] = [callerOf('low'), callerOf('mid')];
    const owners = open();
    clock.advance(1);
    const lows = [open('2025-11-25', low), open('2025-11-25', low)];
    clock.advance(1);
    // Its half is used: its own oldest session ends, though the owner's is older.
    lows.push(open('2025-11-25', low));
    expect(lows.map(({ mcp }) => mcp.closes)).toEqual([1, 0, 0]);
    open('2025-11-25', mid);
    // The house is full: who holds most gives, the oldest first.
    const mids = open('2025-11-25', mid);
    expect(lows.map(({ mcp }) => mcp.closes)).toEqual([1, 1, 0]);
    listen(lows[2]?.session ?? mids.session);
    open('2025-11-25', OWNER);
    expect([owners.mcp.closes, sessions.size]).toEqual([0, 4]);
  },
);

verifies('http:limits', 'only the owner takes the session of a principal with fewer', () => {
  const { sessions, open } = create({ maxSessions: 6 });
  const [low, mid] = [callerOf('low'), callerOf('mid')];
  const idle = open();
  for (const caller of [low, low, low, mid, mid]) listen(open('2025-11-25', caller).session);
  expect([sessions.open(low), sessions.open(mid), idle.mcp.closes]).toEqual([
    undefined,
    undefined,
    0,
  ]);
  // Who has fewer, or is the owner, finds a place.
  open('2025-11-25', callerOf('new'));
  expect(idle.mcp.closes).toBe(1);
  open();
  expect(sessions.size).toBe(6);
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

verifies('http:security', 'a session with a revoked token gets nothing more', () => {
  let isCredentialValid = true;
  const { clock, sessions, open } = create({ isCredentialValid: () => isCredentialValid });
  const [told, silent] = [open(), open()];
  const [one, other] = [listen(told.session), listen(silent.session)];
  isCredentialValid = false;
  told.mcp.notify('secret');
  expect([one.is, one.messages(), sessions.size]).toEqual(['ended', [], 1]);
  clock.advance(15_000);
  expect([other.is, sessions.size]).toEqual(['ended', 0]);
});

test('what belongs to no request and is forgotten is refused with what to do', () => {
  const { open } = create();
  const { session, mcp } = open();
  listen(session).hangUp();
  mcp.notify('lost');
  session.shed();
  expect(session.resume('0-0', createFakeOut())).toMatchObject({
    status: 400,
    message: expect.stringContaining('Send GET without it') as string,
  });
  mcp.notify('kept');
  expect(listen(session).messages()).toEqual([notification('kept')]);
});

test('a session drains without waiting for what its client could no longer answer', async () => {
  const { sessions, open } = create();
  const { mcp } = open();
  const drained = sessions.drain();
  mcp.settle();
  await drained;
  expect(mcp.drains).toEqual(['one_way']);
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

verifies('http:limits', 'a thousand streams, half of them dropped, leave nothing behind', () => {
  const { clock, timeouts, sessions, open } = create({ maxSessions: 2000 });
  const all = Array.from({ length: 1000 }, () => {
    const { session, mcp } = open();
    const out = listen(session);
    const answer = ask(session, 1);
    mcp.notify('half', 1);
    return { mcp, out, answer };
  });
  for (const [index, { out, answer }] of all.entries()) {
    if (index % 2 === 1) continue;
    out.hangUp();
    answer.hangUp();
  }
  expect(timeouts.keepalive.size).toBe(1000);
  for (const { mcp } of all) mcp.answer(1);
  for (const { out } of all) out.hangUp();
  expect([timeouts.keepalive.size, timeouts.slow?.size]).toEqual([0, 0]);
  clock.advance(DAY_MS);
  expect([sessions.size, timeouts.old.size, clock.waiting]).toEqual([0, 0, 0]);
  expect(all.every(({ mcp }) => mcp.closes === 1)).toBe(true);
});

verifies('http:limits', 'who has stopped reading is cut after a while, and may come back', () => {
  const { clock, open } = create();
  const { session, mcp } = open();
  const [stuck, slow] = [ask(session, 1), ask(session, 2)];
  mcp.notify('a', 1);
  mcp.notify('a', 2);
  stuck.bufferedBytes = 500;
  for (let look = 0; look < 20; look++) {
    slow.bufferedBytes = 5000 - look;
    clock.advance(15_000);
  }
  expect([stuck.is, slow.is]).toEqual(['cut', 'streaming']);
  mcp.answer(1);
  expect(resume(session, '2-1').messages()).toEqual([reply(1)]);
});
