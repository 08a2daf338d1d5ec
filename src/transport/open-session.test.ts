import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import type { Channel, Session } from './channel.ts';
import { createOpenSession, type Protocols } from './open-session.ts';

const CALLER: Caller = { principal: 'local', scopes: ['*'], roots: [] };
const OPENING = { session: 's', token: undefined, protocol: undefined };

/** A connection whose protocols only record what reaches them. */
function open(
  door: Channel['transport'] = 'ws',
  identity: Promise<Caller> = Promise.resolve(CALLER),
) {
  const clock = createFakeClock();
  const sent: string[] = [];
  const closed: number[] = [];
  const heard: string[] = [];
  const channel: Channel = {
    transport: door,
    isClear: true,
    send: (text) => void sent.push(text),
    close: (code) => void closed.push(code),
  };
  const speaks = (name: string) => (): Session => ({
    onMessage: (text: string) => void heard.push(`${name} ${text}`),
    onEnd: () => void heard.push(`${name} end`),
    onClose: () => void heard.push(`${name} close`),
    drain: () => Promise.resolve(),
    interrupt: () => void heard.push(`${name} interrupt`),
  });
  const protocols: Protocols = {
    mcp: speaks('mcp'),
    exai: speaks('exai'),
    handshake: speaks('handshake'),
  };
  const authenticator = {
    authenticate: () => identity,
    rotate: () => Promise.reject(new CallError('internal', 'Nobody asked.')),
  };
  const session = createOpenSession({
    protocols,
    authenticator: authenticator,
    clock,
    helloTimeoutMs: 1000,
  })(channel, OPENING);
  return { session, clock, sent, closed, heard };
}

test.each([
  ['ws', '{"jsonrpc":"2.0"}', 'mcp'],
  ['ws', '[]', 'mcp'],
  ['ws', '{"op":"hello"}', 'exai'],
  ['ws', '{"exai":"hello"}', 'handshake'],
  ['ws', 'no json', 'exai'],
  ['ws', '7', 'exai'],
  ['unix', 'no json', 'mcp'],
  ['unix', '{}', 'mcp'],
  ['unix', '{"op":"hello"}', 'exai'],
] as const)('on %s the first message %s means %s', async (door, text, protocol) => {
  const { session, heard } = open(door);
  session.onMessage(text);
  await Promise.resolve();
  expect(heard).toEqual([`${protocol} ${text}`]);
});

test('messages sent together with the first one arrive complete and in order', async () => {
  const { session, heard, closed } = open();
  const texts = Array.from({ length: 1000 }, (_, id) => `{"jsonrpc":"2.0","id":${id}}`);
  for (const text of texts) session.onMessage(text);
  session.onEnd();
  await Promise.resolve();
  expect(heard).toEqual([...texts.map((text) => `mcp ${text}`), 'mcp end']);
  expect(closed).toEqual([]);
});

test('during authentication a limited number of messages is queued', () => {
  const never = new Promise<Caller>(() => {});
  const many = open('ws', never);
  for (let n = 0; n < 1100; n++) many.session.onMessage('{"jsonrpc":"2.0"}');
  const large = open('ws', never);
  for (let n = 0; n < 6; n++) large.session.onMessage(`{"jsonrpc":"${'x'.repeat(1_000_000)}"}`);
  expect([many.closed[0], large.closed[0]]).toEqual([1008, 1008]);
});

test('a failed authentication is answered with the id of the first request', async () => {
  const refusal = Promise.reject(new CallError('auth', 'The token is missing.'));
  const { session, sent, closed } = open('ws', refusal);
  session.onMessage('{"jsonrpc":"2.0","id":"a","method":"ping"}');
  await Promise.resolve();
  await Promise.resolve();
  expect(sent.map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { id: 'a', error: { code: -31050, data: { error_class: 'auth' } } },
  ]);
  expect(closed).toEqual([4003]);
});

test('a silent connection is closed in time, and no timer outlives it', () => {
  const silent = open();
  silent.clock.advance(1000);
  const gone = open();
  gone.session.onClose();
  expect([silent.closed, gone.closed, gone.clock.waiting]).toEqual([[4002], [], 0]);
});
