import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import {
  answer,
  call,
  comeBack,
  createFakeLink,
  INITIALIZE,
  INITIALIZED,
  initialised,
  LISTS_CHANGED,
  notify,
  parsed,
  REPLAYED,
  request,
  setup,
} from './relay.fixture.ts';

verifies(
  'shim:reconnect',
  'when no daemon comes for thirty seconds, waiting requests get the reason, and attempts continue',
  async () => {
    const { relay, fail, pass, told, tried, arrive } = setup();
    relay.start();
    relay.fromClient(INITIALIZE);
    await fail(new CallError('timeout', 'It did not come up.', { fix: 'Look there.' }));
    await pass(29_999);
    expect(told).toEqual([]);
    await pass(1);
    expect(parsed(told)).toEqual([
      {
        jsonrpc: '2.0',
        id: 0,
        error: {
          code: -32001,
          message: expect.stringContaining('It did not come up. Look there. It will be') as string,
          data: { error_class: 'timeout', retryable: true },
        },
      },
    ]);
    expect(tried()).toBe(2);
    relay.fromClient(request(1, 'ping'));
    const link = createFakeLink();
    await arrive(link);
    expect(link.sent).toEqual([request(1, 'ping')]);
  },
);

verifies(
  'store:upgrade-progress',
  'requests wait on while the daemon upgrades its store, and thirty seconds after',
  async () => {
    const { relay, fail, pass, told } = setup();
    relay.start();
    relay.fromClient(INITIALIZE);
    await fail(new CallError('timeout', 'It did not come up.'));
    for (let minute = 0; minute < 10; minute++) {
      await pass(29_000);
      relay.waitOn();
    }
    await pass(29_999);
    expect(told).toEqual([]);
    await pass(1);
    expect(parsed(told)).toHaveLength(1);
  },
);

test.each([
  [new CallError('validation', 'port must be a number.', { field: 'EXAI_PORT' }), -32602],
  [new CallError('auth', 'The daemon wants a token.'), -31050],
  [new CallError('permission', 'EX-AI cannot use its home /x.'), -31051],
  [new CallError('conflict', 'Port 80 is taken.'), -31053],
])('a permanent reason is reported at once with its own class: %s', async (error, code) => {
  const { relay, fail, told } = setup();
  relay.start();
  relay.fromClient(INITIALIZE);
  await fail(error);
  const message = `The daemon of EX-AI cannot be reached. ${error.message}`;
  const field = error.field === undefined ? {} : { field: error.field };
  const data = { error_class: error.class, retryable: false, ...field };
  expect(parsed(told)).toEqual([{ jsonrpc: '2.0', id: 0, error: { code, message, data } }]);
});

test('a daemon that is just coming or going is waited for', async () => {
  const { relay, fail, told } = setup();
  relay.start();
  relay.fromClient(INITIALIZE);
  await fail(new CallError('network', 'The daemon is stopping.'));
  expect(told).toEqual([]);
});

test('the pauses between attempts grow to two seconds', async () => {
  const { relay, fail, clock, settle, tried } = setup();
  relay.start();
  const pauses: number[] = [];
  for (let i = 0; i < 14; i++) {
    await fail(new CallError('network', 'Nobody.'));
    const before = clock.monotonic();
    const attempts = tried();
    while (tried() === attempts) {
      clock.advance(1);
      await settle();
    }
    pauses.push(clock.monotonic() - before);
  }
  expect(pauses[0]).toBe(50);
  expect(pauses[1]).toBe(75);
  expect(pauses.at(-1)).toBe(2000);
});

test('a client that talks on without a daemon is read no further than four megabytes', async () => {
  const { relay, reading, arrive, pass, fail, told } = setup();
  relay.start();
  const large = request('x', 'tools/call', { name: 'chat', text: 'y'.repeat(1_000_000) });
  for (let i = 0; i < 5; i++) relay.fromClient(large.replace('"x"', String(i)));
  expect(reading).toEqual(['off']);
  await fail(new CallError('network', 'Nobody.'));
  await pass(30_000);
  expect(reading).toEqual(['off', 'on']);
  expect(told).toHaveLength(5);
  await arrive();
});

test('a daemon that does not read holds up the client, and one that never does is left', async () => {
  const world = await initialised();
  world.first.state.full = true;
  world.relay.fromClient(call(1, 'status'));
  expect(world.reading).toEqual(['off']);
  world.first.clear();
  expect(world.reading).toEqual(['off', 'on']);
  world.relay.fromClient(call(2, 'status'));
  await world.pass(60_000);
  expect(world.first.state.open).toBe(false);
  expect(world.reading).toEqual(['off', 'on', 'off', 'on']);
});

test('a client that does not read holds up the daemon', async () => {
  const world = await initialised();
  world.setClient('full');
  world.first.say(notify('notifications/message'));
  expect(world.first.state.reading).toBe(false);
  world.setClient('clear');
  world.relay.clientClear();
  expect(world.first.state.reading).toBe(true);
});

test('a message over the limit of the daemon is refused by its id', async () => {
  const { relay, arrive, told } = setup();
  const link = createFakeLink({ maxLineBytes: 100 });
  relay.start();
  relay.fromClient(request(1, 'tools/call', { name: 'chat', text: 'ü'.repeat(50) }));
  relay.fromClient(request(2, 'ping'));
  await arrive(link);
  expect(parsed(told)).toMatchObject([
    { id: 1, error: { code: -31054, data: { error_class: 'too_large', retryable: false } } },
  ]);
  expect(link.sent).toEqual([request(2, 'ping')]);
});

test('when the client has said all, what is in flight is answered before the end', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'chat'));
  world.relay.clientEnded();
  expect(world.done()).toBe(0);
  world.first.say(answer(1));
  expect([world.told, world.done(), world.first.state.open]).toEqual([[answer(1)], 1, false]);
  await world.pass(60_000);
  expect([world.done(), world.clock.waiting]).toEqual([1, 0]);
});

test('the end waits for a daemon that died, as long as its client would', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'status'));
  world.relay.clientEnded();
  world.first.drop();
  expect(world.done()).toBe(0);
  const second = await comeBack(world);
  second.say(answer(1));
  expect(world.told).toContain(answer(1));
  expect(world.done()).toBe(1);
});

test('a client that goes with nothing in flight ends the relay at once, connected or not', async () => {
  const { relay, done, clock, arrive } = setup();
  relay.start();
  relay.clientEnded();
  expect(done()).toBe(1);
  const late = createFakeLink();
  await arrive(late);
  expect(late.state.open).toBe(false);
  expect(clock.waiting).toBe(0);
});

test('an exchange that began before the relay continues with it', async () => {
  const { relay, told, pass, arrive } = setup();
  const first = createFakeLink();
  relay.start({ link: first, fromClient: [INITIALIZE], fromDaemon: [answer(0)] });
  expect([first.sent, told]).toEqual([[], []]);
  relay.fromClient(INITIALIZED);
  relay.fromClient(call(1, 'chat'));
  first.drop();
  expect(parsed(told)).toMatchObject([{ id: 1, error: { data: { error_class: 'interrupted' } } }]);
  await pass(50);
  const second = createFakeLink();
  await arrive(second);
  second.say(answer('exai-shim-initialize'));
  expect(second.sent).toEqual([REPLAYED, INITIALIZED]);
  expect(told.slice(-3)).toEqual(LISTS_CHANGED);
});

test('neither messages nor settings are written to the log', async () => {
  const world = await initialised();
  world.relay.fromClient(request(1, 'tools/call', { name: 'chat', text: 'my secret' }));
  world.first.say(notify('notifications/message', { data: 'my secret' }));
  world.first.drop();
  await world.fail(new CallError('network', 'Nobody.'));
  expect(JSON.stringify(world.log.lines)).not.toContain('my secret');
  expect(world.log.lines.map(({ event }) => event)).toContain('connection_lost');
});
