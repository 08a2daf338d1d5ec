import { expect, test } from 'vitest';
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

test('what the client says before there is a daemon reaches it in order, and answers go back as they are', async () => {
  const { relay, arrive, told } = setup();
  const link = createFakeLink();
  relay.start();
  relay.fromClient(INITIALIZE);
  relay.fromClient('not JSON');
  await arrive(link);
  relay.fromClient(call(1, 'chat'));
  expect(link.sent).toEqual([INITIALIZE, 'not JSON', call(1, 'chat')]);
  const odd = '{"jsonrpc":"2.0","id":1,"result":{"text":"\\u00e9 untouched"}}';
  const parseError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}';
  for (const line of [answer(0), parseError, notify('notifications/progress'), odd]) link.say(line);
  expect(told).toEqual([answer(0), parseError, notify('notifications/progress'), odd]);
});

verifies(
  'shim:reconnect',
  'a new daemon gets the initialize of the last one, and its answer is dropped',
  async () => {
    const world = await initialised();
    world.first.drop();
    const second = createFakeLink({ instance: 'b' });
    await world.pass(50);
    await world.arrive(second);
    expect(second.sent).toEqual([REPLAYED]);
    world.relay.fromClient(request(1, 'tools/list'));
    expect(second.sent).toEqual([REPLAYED]);
    second.say(answer('exai-shim-initialize'));
    expect(second.sent).toEqual([REPLAYED, INITIALIZED, request(1, 'tools/list')]);
    expect(world.told).toEqual(LISTS_CHANGED);
  },
);

verifies(
  'shim:reconnect',
  'what changes nothing is sent again; everything else is answered as interrupted, at once',
  async () => {
    const world = await initialised();
    const safe = [
      request(1, 'ping'),
      request(2, 'tools/list'),
      request(3, 'resources/templates/list'),
      request(4, 'server/discover'),
      call(5, 'status'),
      request(6, 'prompts/get', { name: 'chat' }),
      request(7, 'resources/read', { uri: 'a://b' }),
      request(8, 'completion/complete'),
      request(9, 'logging/setLevel', { level: 'debug' }),
      request(10, 'resources/subscribe', { uri: 'a://b' }),
      request(11, 'resources/unsubscribe', { uri: 'a://b' }),
    ];
    const unsafe = [call(20, 'chat'), request(21, 'tasks/cancel'), call('seven', 'constructor')];
    for (const line of [...safe, ...unsafe]) world.relay.fromClient(line);
    world.first.drop();
    expect(parsed(world.told)).toEqual(
      [20, 21, 'seven'].map((id) => ({
        jsonrpc: '2.0',
        id,
        error: {
          code: -31067,
          message: expect.stringContaining('may be sent again') as string,
          data: { error_class: 'interrupted', retryable: true },
        },
      })),
    );
    const second = await comeBack(world);
    expect(second.sent).toEqual([REPLAYED, INITIALIZED, ...safe]);
    const answers = safe.map((_, index) => answer(index + 1));
    for (const line of answers) second.say(line);
    expect(world.told.slice(3)).toEqual([...LISTS_CHANGED, ...answers]);
  },
);

verifies(
  'shim:reconnect',
  'what a stopping daemon has not begun is sent to the next one, also what was sent after its last message',
  async () => {
    const world = await initialised();
    for (const line of [call(1, 'chat'), call(2, 'chat'), call(3, 'status')])
      world.relay.fromClient(line);
    world.first.say(notify('notifications/exai/stopping', { begun: [1] }));
    world.relay.fromClient(call(4, 'chat'));
    world.first.drop();
    expect(parsed(world.told)).toMatchObject([{ id: 1, error: { code: -31067 } }]);
    const second = await comeBack(world);
    const again = [call(2, 'chat'), call(3, 'status'), call(4, 'chat')];
    expect(second.sent).toEqual([REPLAYED, INITIALIZED, ...again]);
    // The next daemon dies without a word.
    second.drop();
    expect(parsed(world.told.slice(-2))).toMatchObject([{ id: 2 }, { id: 4 }]);
  },
);

verifies(
  'shim:reconnect',
  'one answer is enough: a late one of the old daemon, a second one and a forged one are dropped',
  async () => {
    const world = await initialised();
    world.relay.fromClient(call(1, 'status'));
    world.relay.fromClient(call(2, 'chat'));
    world.first.drop();
    const second = await comeBack(world);
    world.told.length = 0;
    world.first.say(answer(1, { from: 'old' }));
    second.say(answer(1, { from: 'new' }));
    second.say(answer(1, { from: 'twice' }));
    second.say(answer(2, { from: 'interrupted before' }));
    second.say(answer(99));
    expect(world.told).toEqual([answer(1, { from: 'new' })]);
  },
);

test('an answer that arrived before the end of the connection counts', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'chat'));
  world.first.say(answer(1));
  world.first.drop();
  expect(world.told).toEqual([answer(1)]);
});

test('an initialize whose answer was lost is sent again as it is', async () => {
  const { relay, arrive, pass, told } = setup();
  const [first, second] = [createFakeLink(), createFakeLink()];
  relay.start();
  relay.fromClient(INITIALIZE);
  await arrive(first);
  first.drop();
  await pass(50);
  await arrive(second);
  expect(second.sent).toEqual([INITIALIZE]);
  second.say(answer(0));
  expect(told).toEqual([answer(0)]);
});

test('a client that says all at once is initialised by the daemon that answers, not by the one that died', async () => {
  const { relay, arrive, pass } = setup();
  const [first, second] = [createFakeLink(), createFakeLink()];
  const said = [INITIALIZE, INITIALIZED, request(1, 'tools/list')];
  relay.start();
  await arrive(first);
  for (const line of said) relay.fromClient(line);
  first.drop();
  await pass(50);
  await arrive(second);
  expect(second.sent).toEqual(said);
});

test('a refused initialize is not repeated with the next daemon', async () => {
  const { relay, arrive, pass } = setup();
  const [first, second] = [createFakeLink(), createFakeLink()];
  relay.start();
  relay.fromClient(INITIALIZE);
  await arrive(first);
  first.say('{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}');
  first.drop();
  await pass(50);
  await arrive(second);
  expect(second.sent).toEqual([]);
});

test('a modern client has no initialize and gets no list notifications', async () => {
  const { relay, arrive, pass, told } = setup();
  const [first, second] = [createFakeLink(), createFakeLink()];
  relay.start();
  await arrive(first);
  relay.fromClient(request(1, 'server/discover'));
  first.drop();
  await pass(50);
  await arrive(second);
  expect(second.sent).toEqual([request(1, 'server/discover')]);
  expect(told).toEqual([]);
});

test('a second daemon that dies during initialize changes nothing for the client', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'status'));
  world.first.drop();
  const second = createFakeLink();
  await world.pass(50);
  await world.arrive(second);
  second.drop();
  const third = await comeBack(world);
  expect(third.sent).toEqual([REPLAYED, INITIALIZED, call(1, 'status')]);
  expect(world.told).toEqual(LISTS_CHANGED);
});

test('a daemon that never answers initialize is replaced by another', async () => {
  const world = await initialised();
  world.first.drop();
  const second = createFakeLink();
  await world.pass(50);
  await world.arrive(second);
  await world.pass(10_000);
  expect(second.state.open).toBe(false);
  await world.pass();
  expect(world.tried()).toBe(3);
});

test('a request cancelled while it waits is neither sent nor answered', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'status'));
  world.first.drop();
  world.relay.fromClient(call(2, 'chat'));
  for (const requestId of [1, 2]) {
    world.relay.fromClient(notify('notifications/cancelled', { requestId }));
  }
  const second = await comeBack(world);
  expect(second.sent).toEqual([REPLAYED, INITIALIZED]);
  await world.pass(60_000);
  expect(world.told).toEqual(LISTS_CHANGED);
});

test('a cancellation reaches the daemon, and a request that was cancelled gets no answer later', async () => {
  const world = await initialised();
  const cancel = notify('notifications/cancelled', { requestId: 1 });
  world.relay.fromClient(call(1, 'chat'));
  world.relay.fromClient(cancel);
  expect(world.first.sent).toEqual([call(1, 'chat'), cancel]);
  world.first.say(answer(1));
  world.first.drop();
  expect(world.told).toEqual([]);
});

test('cancellations of nothing, by any id, do no harm', async () => {
  const world = await initialised();
  for (const params of [{ requestId: 77 }, { requestId: {} }, { requestId: null }, {}, []]) {
    world.relay.fromClient(notify('notifications/cancelled', params));
  }
  world.relay.fromClient('{"jsonrpc":"2.0","method":"notifications/cancelled"}');
  expect(world.told).toEqual([]);
});

test('an id that is still in use is refused', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'chat'));
  world.relay.fromClient(call(1, 'chat'));
  expect(parsed(world.told)).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  expect(world.first.sent).toHaveLength(1);
});

test('1 and "1" are two requests', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'chat'));
  world.relay.fromClient(call('1', 'chat'));
  world.first.say(answer('1'));
  world.first.drop();
  expect(parsed(world.told)).toMatchObject([
    { id: '1', result: {} },
    { id: 1, error: {} },
  ]);
});

test('what the daemon asks is answered to that daemon only, and taken back when it is gone', async () => {
  const world = await initialised();
  const ask = (id: number) => request(id, 'elicitation/create');
  world.first.say(ask(1));
  world.first.say(ask(2));
  world.relay.fromClient(answer(1));
  world.relay.fromClient(answer(1));
  expect(world.first.sent).toEqual([answer(1)]);
  world.first.drop();
  expect(parsed(world.told.slice(2))).toMatchObject([
    { method: 'notifications/cancelled', params: { requestId: 2 } },
  ]);
  world.relay.fromClient(answer(2));
  const second = await comeBack(world);
  expect(second.sent).toEqual([REPLAYED, INITIALIZED]);
});
