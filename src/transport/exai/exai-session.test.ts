import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { ToolList } from '#core/calls/calls.ts';
import type { Credentials, Authenticator } from '#core/auth/authenticator.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  CALLER,
  welcomedExai,
  listOf,
  openExai,
  OPENING,
  settled,
} from './fake-session.fixture.ts';

verifies('exai:frames', 'a hello is acknowledged with its own session', async () => {
  const { say, take } = openExai();
  say({ op: 'hello', session_id: 'mine', token: '' });
  await settled();
  expect(take()).toEqual([{ op: 'hello_ack', ok: true, session_id: 'a-fresh-uuid' }]);
});

test.each([
  [{ op: 'hello', token: 'of the hello' }, undefined, 'ws', 'tcp', 'of the hello'],
  [{ op: 'hello', token: 'of both' }, 'of both', 'ws', 'tcp', 'of both'],
  [{ op: 'hello', token: '' }, 'of the upgrade', 'ws', 'tcp', 'of the upgrade'],
  [{ op: 'hello' }, 'of the upgrade', 'ws', 'tcp', 'of the upgrade'],
  [{ op: 'hello', token: null }, undefined, 'unix', 'unix', undefined],
] as const)('%j with a token %s at %s', async (hello, token, transport, arrivedAt, expected) => {
  const asked: Credentials[] = [];
  const authenticator = authenticatorOf((arrival) => {
    asked.push(arrival);
    return Promise.resolve(CALLER);
  });
  const { say } = openExai({ transport, authenticator, opening: { ...OPENING, token } });
  say(hello);
  await settled();
  expect(asked).toEqual([{ transport: arrivedAt, token: expected }]);
});

test('a hello with another token than the upgrade is refused', async () => {
  const authenticator = authenticatorOf(() => Promise.resolve(CALLER));
  const opening = { ...OPENING, token: 'of the upgrade' };
  const { say, take } = openExai({ transport: 'ws', authenticator, opening });
  say({ op: 'hello', token: 'of the hello' });
  await settled();
  expect(take()).toEqual([{ op: 'hello_ack', ok: false, error: 'unauthorized' }]);
});

test.each([
  ['no JSON', '{"op":', 'invalid_hello', 4000],
  ['a list', '[{"op":"hello"}]', 'invalid_hello', 4000],
  ['null', 'null', 'invalid_hello', 4000],
  ['an op that is no text', '{"op":7}', 'invalid_hello', 4000],
  ['a token that is no text', '{"op":"hello","token":{}}', 'invalid_hello', 4000],
  ['a session that is no text', '{"op":"hello","session_id":[]}', 'invalid_hello', 4000],
  ['another op', '{"op":"list_tools"}', 'missing_hello', 4001],
  ['a name of Object.prototype', '{"op":"constructor"}', 'missing_hello', 4001],
])('%s instead of a hello is refused', async (_, text, error, code) => {
  const { say, take, state, clock } = openExai();
  say(text);
  say({ op: 'hello' });
  await settled();
  expect(take()).toEqual([{ op: 'hello_ack', ok: false, error }]);
  expect(state.closed).toEqual([code, error]);
  expect(clock.waiting).toBe(0);
});

verifies('exai:frames', 'a wrong token is unauthorized', async () => {
  const wrong = new CallError('auth', 'The token is wrong.');
  const { say, take, state } = openExai({
    authenticator: authenticatorOf(() => Promise.reject(wrong)),
  });
  say({ op: 'hello', token: 'nope' });
  say({ op: 'list_tools' });
  await settled();
  expect(take()).toEqual([{ op: 'hello_ack', ok: false, error: 'unauthorized' }]);
  expect(state.closed).toEqual([4003, 'unauthorized']);
});

test('a daemon that cannot check a token reports it, and logs the cause', async () => {
  const authenticator = authenticatorOf(() => Promise.reject(new TypeError('sk-secret')));
  const { say, take, state, logged } = openExai({ authenticator });
  say({ op: 'hello' });
  await settled();
  expect(take()).toEqual([{ op: 'hello_ack', ok: false, error: 'unavailable' }]);
  expect([state.closed?.[0], logged]).toEqual([1013, ['exai_hello_failed']]);
});

verifies('exai:frames', 'without a hello in its time the connection is closed', () => {
  const { clock, state } = openExai();
  clock.advance(14_999);
  expect(state.closed).toBeUndefined();
  clock.advance(1);
  expect(state.closed).toEqual([4002, 'No hello in time.']);
});

test('a token that takes too long to look at counts as no hello', async () => {
  let admit: (caller: Caller) => void = () => {};
  const authenticator = authenticatorOf(() => new Promise((resolve) => (admit = resolve)));
  const { say, take, clock, state } = openExai({ authenticator });
  say({ op: 'hello' });
  clock.advance(15_000);
  expect(state.closed?.[0]).toBe(4002);
  admit(CALLER);
  await settled();
  expect(take()).toEqual([]);
});

test('what comes while the token is looked at waits its turn', async () => {
  const { say, take } = openExai();
  say({ op: 'hello' });
  say({ op: 'ping' });
  say({ op: 'list_tools' });
  expect(take()).toEqual([]);
  await settled();
  expect(take().map(({ op }) => op)).toEqual(['hello_ack', 'pong', 'list_tools_res']);
});

verifies('door:limits', 'a flood before the answer to the hello ends the connection', () => {
  const { say, take, state } = openExai({
    authenticator: authenticatorOf(() => new Promise(() => {})),
  });
  say({ op: 'hello' });
  for (let index = 0; index < 1100; index++) say({ op: 'ping' });
  expect(take()).toMatchObject([{ op: 'error', code: 'OVER_CAPACITY' }]);
  expect(state.closed?.[0]).toBe(1008);
});

verifies('exai:frames', 'a second hello is an error, and the connection stays', async () => {
  const { say, take, state } = await welcomedExai();
  say({ op: 'hello' });
  expect(take()).toEqual([
    { op: 'error', code: 'INVALID_REQUEST', message: 'hello was said already.' },
  ]);
  expect(state.closed).toBeUndefined();
});

verifies('exai:frames', 'the list of tools is what the caller may use', async () => {
  const { say, take } = await welcomedExai();
  say({ op: 'list_tools' });
  expect(take()).toEqual([
    {
      op: 'list_tools_res',
      tools: [{ name: 'status', description: 'Says how it is.', inputSchema: { type: 'object' } }],
    },
  ]);
});

test('a list is made into a frame once, for however many sockets', async () => {
  let looks = 0;
  const list = listOf('status');
  const looked: ToolList = {
    ...list,
    get tools() {
      looks += 1;
      return list.tools;
    },
  };
  for (let socket = 0; socket < 3; socket++) {
    const { say, take, calls } = await welcomedExai();
    calls.list = () => looked;
    say({ op: 'list_tools' });
    expect(take()).toMatchObject([{ op: 'list_tools_res', tools: [{ name: 'status' }] }]);
  }
  expect(looks).toBe(1);
});

test('a changed list is sent in its current state', async () => {
  const opened = openExai();
  const { calls } = opened;
  const lists = [listOf('status'), listOf('version')];
  calls.list = () => lists.shift() ?? listOf('none');
  opened.say({ op: 'hello' });
  opened.say({ op: 'list_tools' });
  opened.say({ op: 'list_tools' });
  await settled();
  const names = opened.take().flatMap(({ tools = [] }) => (tools as { name: string }[])[0]?.name);
  expect(names).toEqual([undefined, 'status', 'version']);
});

test.each([
  ['{"op":"lst_tools"}', 'UNKNOWN_OP', 'Unknown op: lst_tools, did you mean "list_tools"?'],
  ['{"op":"toString"}', 'UNKNOWN_OP', 'Unknown op: toString'],
  ['{"op":"__proto__"}', 'UNKNOWN_OP', 'Unknown op: __proto__'],
  ['{"op":"a\\nb"}', 'UNKNOWN_OP', 'Unknown op: a b'],
  ['not json', 'INVALID_JSON', 'invalid_json'],
  ['', 'INVALID_JSON', 'invalid_json'],
  ['42', 'INVALID_MESSAGE', 'invalid_message: a frame is a JSON object'],
  ['[]', 'INVALID_MESSAGE', 'invalid_message: a frame is a JSON object'],
  ['{}', 'INVALID_MESSAGE', 'invalid_message: "op" must be a text'],
  ['{"op":null}', 'INVALID_MESSAGE', 'invalid_message: "op" must be a text'],
  ['{"__proto__":{"op":"ping"}}', 'INVALID_MESSAGE', 'invalid_message: "op" must be a text'],
])('%s is one typed error', async (text, code, message) => {
  const { say, take, state } = await welcomedExai();
  say(text);
  expect(take()).toEqual([{ op: 'error', code, message }]);
  expect(state.closed).toBeUndefined();
});

test('an endless op is quoted by its beginning only', async () => {
  const { say, take } = await welcomedExai();
  say({ op: 'x'.repeat(1_000_000), request_id: 7 });
  const [error] = take();
  expect(error).toMatchObject({ code: 'UNKNOWN_OP', request_id: 7 });
  expect(String(error?.['message']).length).toBeLessThan(100);
});

verifies('exai:frames', 'health and ping are answered', async () => {
  const { say, take, clock } = await welcomedExai();
  say({ op: 'health' });
  say({ op: 'ping' });
  expect(take()).toEqual([
    {
      op: 'health_res',
      ok: true,
      health: {
        t: clock.now() / 1000,
        uptime_human: '1 s',
        sessions: 1,
        global_capacity: 24,
        global_inflight: 0,
        tool_count: 1,
      },
    },
    { op: 'pong', t: clock.now() / 1000 },
  ]);
});

test('an internal failure is reported without secrets', async () => {
  const { say, take, logged } = await welcomedExai({
    health: () => {
      throw new TypeError('sk-secret');
    },
  });
  say({ op: 'health' });
  const [error] = take();
  expect(error).toMatchObject({ op: 'error', code: 'EXEC_ERROR' });
  expect(JSON.stringify(error)).not.toContain('sk-secret');
  expect(logged).toEqual(['exai_op_failed']);
});

test.each([
  [{}, { ok: false, error: 'missing_params' }],
  [
    { old: 'a', new: '' },
    { ok: false, error: 'missing_params' },
  ],
  [
    { old: 'a', new: 7 },
    { ok: false, error: 'missing_params' },
  ],
  [
    { old: 'wrong', new: 'b' },
    { ok: false, error: 'unauthorized', message: 'It is wrong.' },
  ],
  [
    { old: 'a', new: 'short' },
    { ok: false, error: 'invalid_params', message: 'Too short.' },
  ],
  [
    { old: 'a', new: 'b' },
    { ok: true, grace_secs: 300, kept: false, note: 'Write it down.' },
  ],
])('rotate_token with %j', async (given, expected) => {
  const authenticator: Authenticator = {
    authenticate: () => Promise.resolve(CALLER),
    rotate(old, fresh) {
      if (old === 'wrong') return Promise.reject(new CallError('auth', 'It is wrong.'));
      if (fresh === 'short') return Promise.reject(new CallError('validation', 'Too short.'));
      return Promise.resolve({ graceMs: 300_000, kept: false, note: 'Write it down.' });
    },
  };
  const { say, take } = await welcomedExai({ authenticator });
  say({ op: 'rotate_token', ...given });
  await settled();
  expect(take()).toEqual([{ op: 'rotate_token_res', ...expected }]);
});

test('one token is replaced at a time', async () => {
  const authenticator: Authenticator = {
    authenticate: () => Promise.resolve(CALLER),
    rotate: () => new Promise(() => {}),
  };
  const { say, take } = await welcomedExai({ authenticator });
  say({ op: 'rotate_token', old: 'a', new: 'b' });
  say({ op: 'rotate_token', old: 'a', new: 'b' });
  await settled();
  expect(take()).toEqual([{ op: 'rotate_token_res', ok: false, error: 'busy' }]);
});

verifies(
  'exai:many',
  'a client that stops sending is answered, then the connection is closed',
  async () => {
    const { say, take, session, state, started } = await welcomedExai();
    say({ op: 'call_tool', request_id: 1, name: 'status' });
    session.onEnd();
    await settled();
    expect(state.closed).toBeUndefined();
    started[0]?.answer();
    await settled();
    expect(take().at(-1)).toMatchObject({ op: 'call_tool_res', request_id: 1 });
    expect(state.closed?.[0]).toBe(1000);
  },
);

test('a client that sends everything at once and stops sending is answered, too', async () => {
  const { say, take, session, state, started } = openExai();
  say({ op: 'hello' });
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  session.onEnd();
  await settled();
  started[0]?.answer();
  await settled();
  expect(take().at(-1)).toMatchObject({ op: 'call_tool_res', request_id: 1 });
  expect(state.closed?.[0]).toBe(1000);
});

test('a client that sent nothing and stops sending is closed', () => {
  const { session, state, clock } = openExai();
  session.onEnd();
  expect([state.closed?.[0], clock.waiting]).toEqual([1000, 0]);
});

test('nothing is left when the client is gone', async () => {
  const { say, take, session, started, clock } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  take();
  session.onClose();
  await settled();
  say({ op: 'ping' });
  expect(started.map(({ wasCancelled }) => wasCancelled)).toEqual([true]);
  expect([take(), clock.waiting]).toEqual([[], 0]);
});

function authenticatorOf(identify: Authenticator['authenticate']): Authenticator {
  return { authenticate: identify, rotate: () => Promise.reject(new CallError('auth', 'No.')) };
}
