import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { verifies } from '../../../test/verifies.ts';
import { PING_LINE as PING } from './rpc-lines.ts';
import {
  acknowledgement,
  answer,
  call,
  comeBack,
  createFakeLink,
  initialised,
  INITIALIZED,
  notify,
  parsed,
  REPLAYED,
  request,
} from './relay.fixture.ts';

const PONG = answer('exai-shim-ping');

type World = Awaited<ReturnType<typeof initialised>>;

/** Nothing was asked for a while. */
async function resting(): Promise<World> {
  const world = await initialised();
  await world.pass(5000);
  return world;
}

/** So that every look in between has its turn. */
async function passAll(world: World, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) await world.pass(1000);
}

verifies(
  'shim:hang',
  'a daemon that hangs is given up after half a minute, and each request gets its answer',
  async () => {
    const world = await resting();
    world.relay.fromClient(call(1, 'chat'));
    world.relay.fromClient(call(2, 'status'));
    await passAll(world, 19_000);
    expect(world.first.sent).not.toContain(PING);
    await passAll(world, 1000);
    expect(world.first.sent.at(-1)).toBe(PING);
    await passAll(world, 9000);
    expect(world.told).toEqual([]);
    await passAll(world, 1000);
    expect(world.first.state.open).toBe(false);
    expect(parsed(world.told)).toMatchObject([
      { id: 1, error: { data: { error_class: 'interrupted', retryable: true } } },
    ]);
    const second = await comeBack(world);
    expect(second.sent).toEqual([REPLAYED, INITIALIZED, call(2, 'status')]);
  },
);

test('a long call of a live daemon is waited for, and the pings stay invisible', async () => {
  const world = await resting();
  world.relay.fromClient(call(1, 'chat'));
  let pings = 0;
  for (let second = 0; second < 600; second++) {
    await world.pass(1000);
    for (const line of world.first.sent.splice(0)) {
      if (line !== PING) continue;
      pings += 1;
      world.first.say(PONG);
    }
  }
  expect(world.first.state.open).toBe(true);
  expect(pings).toBeGreaterThan(10);
  expect(world.told).toEqual([]);
  world.first.say(answer(1));
  expect(world.told).toEqual([answer(1)]);
});

test('news of a call is a sign of life too', async () => {
  const world = await resting();
  world.relay.fromClient(call(1, 'chat'));
  for (let i = 0; i < 20; i++) {
    await passAll(world, 10_000);
    world.first.say(notify('notifications/progress'));
  }
  expect(world.first.sent).toEqual([call(1, 'chat')]);
});

test('from whom nothing is expected nothing is asked, and no timer waits', async () => {
  const world = await resting();
  world.relay.fromClient(call(1, 'chat'));
  world.first.say(answer(1));
  await passAll(world, 120_000);
  expect(world.first.sent).toEqual([call(1, 'chat')]);
  expect(world.clock.waiting).toBe(0);
});

test('while the client itself does not read, silence does not count against the daemon', async () => {
  const world = await resting();
  world.setClient('full');
  world.relay.fromClient(call(1, 'chat'));
  world.first.say(notify('notifications/progress'));
  await passAll(world, 120_000);
  expect(world.first.state).toMatchObject({ open: true, reading: false });
  expect(world.first.sent).toEqual([call(1, 'chat')]);
});

test('when the client has ended and daemon after daemon hangs, the relay ends nevertheless', async () => {
  const world = await resting();
  world.relay.fromClient(call(1, 'status'));
  world.relay.clientEnded();
  await passAll(world, 30_000);
  expect(world.done()).toBe(0);
  for (let second = 0; second < 31; second++) {
    await world.fail(new CallError('timeout', 'The daemon did not answer the hello in time.'));
    await world.pass(1000);
  }
  expect(world.done()).toBe(1);
  expect(parsed(world.told)).toMatchObject([
    { id: 1, error: { data: { error_class: 'timeout' } } },
  ]);
});

test('what every daemon goes under is sent to three and then answered', async () => {
  const world = await resting();
  world.relay.fromClient(call(1, 'status'));
  let link = world.first;
  for (let i = 0; i < 2; i++) {
    link.drop();
    link = await comeBack(world);
    expect(link.sent).toContain(call(1, 'status'));
  }
  link.drop();
  const answers = () => world.told.filter((line) => line.includes('"id":1'));
  expect(parsed(answers())).toMatchObject([{ error: { data: { error_class: 'interrupted' } } }]);
  const last = await comeBack(world);
  expect(last.sent).not.toContain(call(1, 'status'));
});

test('a message that is no request is refused by its id, as the daemon says it', async () => {
  const world = await resting();
  const odd = ['{"jsonrpc":"2.0","id":77}', '{"id":78,"method":5}'];
  for (const line of odd) world.relay.fromClient(line);
  expect(world.first.sent).toEqual(odd);
  const refusal = (id: number) =>
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"Invalid request."}}`;
  for (const id of [77, 78]) world.first.say(refusal(id));
  expect(world.told).toEqual([refusal(77), refusal(78)]);
});

test('a name as older clients and agents write it may be asked again like the plain one', async () => {
  const world = await resting();
  const calls = [call(1, 'status_EXAI-WS'), call(2, 'mcp__exai__status'), request(3, 'ping')];
  for (const line of calls) world.relay.fromClient(line);
  world.first.drop();
  const second = await comeBack(world, createFakeLink());
  expect(second.sent).toEqual([REPLAYED, INITIALIZED, ...calls]);
});

test('an acknowledged subscription neither delays the end nor counts as silence', async () => {
  const world = await resting();
  const subscription = request(1, 'subscriptions/listen');
  world.relay.fromClient(subscription);
  world.first.say(acknowledgement(1));
  await passAll(world, 120_000);
  expect(world.first.sent).toEqual([subscription]);
  expect(world.clock.waiting).toBe(0);
  world.relay.fromClient(call(2, 'chat'));
  world.relay.clientEnded();
  expect(world.done()).toBe(0);
  world.first.say(answer(2));
  expect(world.done()).toBe(1);
});

test('a subscription that is never acknowledged is asked of another daemon, and does not hold the end up either', async () => {
  const world = await resting();
  const subscription = request(1, 'subscriptions/listen');
  world.relay.fromClient(subscription);
  await passAll(world, 30_000);
  expect(world.first.state.open).toBe(false);
  const second = await comeBack(world);
  expect(second.sent).toContain(subscription);
  world.relay.clientEnded();
  expect(world.done()).toBe(1);
});
