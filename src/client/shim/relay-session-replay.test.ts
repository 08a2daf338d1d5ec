import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import {
  acknowledgement,
  answer,
  call,
  comeBack,
  createFakeLink,
  INITIALIZED,
  initialised,
  LISTS_CHANGED,
  notify,
  parsed,
  REPLAYED,
  request,
  setup,
  type FakeLink,
} from './relay.fixture.ts';

type World = Awaited<ReturnType<typeof initialised>>;

const NOBODY = new CallError('network', 'Nobody.');
const updated = (uri: string) => notify('notifications/resources/updated', { uri });
const errorAnswer = (id: number | string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32002, message: 'No.' } });

/** What a link was asked, without the ids. */
const asked = (link: FakeLink) =>
  parsed(link.sent).map((line) => {
    const { method, params } = line as { method: string; params: object };
    return [method, params];
  });

describe('the session settings of a legacy client', () => {
  let ids = 100;
  /** Something the client asks, and the daemon grants. */
  function granted({ relay, told, first }: World, method: string, params: object): void {
    const id = ++ids;
    relay.fromClient(request(id, method, params));
    first.say(answer(id));
    expect(told.pop()).toBe(answer(id));
    first.sent.length = 0;
  }
  const watch = (world: World, uri: string) => granted(world, 'resources/subscribe', { uri });

  verifies(
    'shim:wishes',
    'are sent to the next daemon, whose answers are dropped, and the client gets the notifications it may have missed',
    async () => {
      const world = await initialised();
      granted(world, 'logging/setLevel', { level: 'debug' });
      granted(world, 'logging/setLevel', { level: 'error' });
      for (const uri of ['a://1', 'a://2', 'a://2', 'a://3']) watch(world, uri);
      granted(world, 'resources/unsubscribe', { uri: 'a://1' });
      world.first.drop();
      const second = await comeBack(world);
      expect(second.sent.splice(0, 2)).toEqual([REPLAYED, INITIALIZED]);
      expect(asked(second)).toEqual([
        ['logging/setLevel', { level: 'error' }],
        ['resources/subscribe', { uri: 'a://2' }],
        ['resources/subscribe', { uri: 'a://3' }],
      ]);
      expect(world.told).toEqual([...LISTS_CHANGED, updated('a://2'), updated('a://3')]);
      world.told.length = 0;
      for (const line of parsed(second.sent)) second.say(answer((line as { id: string }).id));
      expect(world.told).toEqual([]);
    },
  );

  test('is said to every daemon that comes, before what was in flight', async () => {
    const world = await initialised();
    watch(world, 'a://1');
    world.relay.fromClient(call(1, 'status'));
    let link = world.first;
    for (let i = 0; i < 2; i++) {
      link.drop();
      link = await comeBack(world);
      expect(link.sent).toEqual([
        REPLAYED,
        INITIALIZED,
        expect.stringContaining('"uri":"a://1"'),
        call(1, 'status'),
      ]);
    }
  });

  test('is only what was granted: refused, odd and cancelled requests leave nothing behind', async () => {
    const world = await initialised();
    world.relay.fromClient(request(1, 'resources/subscribe', { uri: 'a://refused' }));
    world.first.say(errorAnswer(1));
    world.relay.fromClient(request(2, 'logging/setLevel', { level: 7 }));
    world.first.say(answer(2));
    world.relay.fromClient('{"jsonrpc":"2.0","id":3,"method":"resources/subscribe"}');
    world.first.say(answer(3));
    world.relay.fromClient(request(4, 'resources/subscribe', { uri: 'a://cancelled' }));
    world.relay.fromClient(notify('notifications/cancelled', { requestId: 4 }));
    world.first.say(answer(4));
    world.relay.fromClient(request(5, 'resources/subscribe', { uri: 'a://garbled' }));
    world.first.say('{"jsonrpc":"2.0","id":5,"result":{');
    world.first.drop();
    expect((await comeBack(world)).sent).toEqual([REPLAYED, INITIALIZED]);
  });

  test('stay stored when a daemon refuses them: the next one may accept them', async () => {
    const world = await initialised();
    watch(world, 'a://1');
    world.first.drop();
    const second = await comeBack(world);
    second.say(errorAnswer('exai-shim-1'));
    second.drop();
    const third = await comeBack(world);
    expect(third.sent.at(-1)).toContain('a://1');
    expect(world.told.filter((line) => line.includes('error'))).toEqual([]);
  });

  test('goes by ids that the client does not use, and the client may not use them meanwhile', async () => {
    const world = await initialised();
    watch(world, 'a://1');
    world.relay.fromClient(request('exai-shim-1', 'tools/list'));
    world.first.drop();
    const second = await comeBack(world);
    expect(second.sent.slice(2)).toEqual([
      request('exai-shim-2', 'resources/subscribe', { uri: 'a://1' }),
      request('exai-shim-1', 'tools/list'),
    ]);
    world.told.length = 0;
    world.relay.fromClient(request('exai-shim-2', 'ping'));
    expect(parsed(world.told)).toMatchObject([{ id: 'exai-shim-2', error: { code: -32600 } }]);
    second.say(answer('exai-shim-2'));
    world.relay.fromClient(request('exai-shim-2', 'ping'));
    for (const id of ['exai-shim-1', 'exai-shim-2']) second.say(answer(id));
    expect(world.told.slice(1)).toEqual([answer('exai-shim-1'), answer('exai-shim-2')]);
  });

  test('is kept for ten thousand addresses, and for no more than four megabytes of them', async () => {
    const world = await initialised();
    for (let i = 0; i <= 10_000; i++) watch(world, `a://${i}`);
    world.first.drop();
    const second = await comeBack(world);
    expect(second.sent).toHaveLength(2 + 10_000);

    const other = await initialised();
    const long = 'x'.repeat(1_000_000);
    for (let i = 0; i < 6; i++) watch(other, `a://${i}/${long}`);
    other.first.drop();
    const third = await comeBack(other);
    expect(third.sent).toHaveLength(2 + 4);
    expect(other.log.lines.filter(({ event }) => event === 'option_not_applied')).toHaveLength(2);
  });

  test('is not said to a daemon whose lines are shorter', async () => {
    const world = await initialised();
    watch(world, `a://${'x'.repeat(500)}`);
    watch(world, 'a://2');
    world.first.drop();
    const second = await comeBack(world, createFakeLink({ maxLineBytes: 400 }));
    expect(second.sent.slice(2)).toEqual([expect.stringContaining('a://2')]);
  });

  test('starts no daemon; once there is one, it gets everything', async () => {
    const world = await initialised();
    watch(world, 'a://1');
    world.first.drop();
    world.starting.length = 0;
    for (let i = 0; i < 100; i++) {
      await world.pass();
      await world.fail(NOBODY);
    }
    expect(new Set(world.starting)).toEqual(new Set(['never']));
    expect(world.told).toEqual([]);
    await world.pass();
    const second = createFakeLink();
    await world.arrive(second);
    second.say(answer('exai-shim-initialize'));
    expect(second.sent.at(-1)).toContain('a://1');
    expect(world.told).toEqual([...LISTS_CHANGED, updated('a://1')]);
  });
});

describe('a subscription of the modern era', () => {
  const WISH = { toolsListChanged: true, resourceSubscriptions: ['a://1', 'a://2'] };
  const listen = request('s', 'subscriptions/listen', { notifications: WISH });
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 's' };
  const NEWS = [
    notify('notifications/tools/list_changed', { _meta }),
    notify('notifications/resources/updated', { uri: 'a://1', _meta }),
  ];
  /** Of the second address nothing was promised. */
  const stands = acknowledgement('s', { ...WISH, resourceSubscriptions: ['a://1'] });

  async function listening() {
    const world = setup();
    const first = createFakeLink();
    world.relay.start();
    await world.arrive(first);
    world.relay.fromClient(listen);
    first.say(stands);
    expect(world.told.splice(0)).toEqual([stands]);
    return { ...world, first };
  }

  /** A daemon that another program started. */
  async function another(world: Pick<World, 'pass' | 'arrive'>): Promise<FakeLink> {
    const link = createFakeLink();
    await world.pass();
    await world.arrive(link);
    return link;
  }

  test('is sent to the next daemon; the client has its acknowledgement and gets the notifications it may have missed', async () => {
    const world = await listening();
    world.first.drop();
    const second = await another(world);
    expect(second.sent).toEqual([listen]);
    expect(world.told).toEqual([]);
    second.say(stands);
    expect(world.told).toEqual(NEWS);
  });

  test('that no daemon acknowledged yet starts one, and is acknowledged once', async () => {
    const world = setup();
    const [first, second] = [createFakeLink(), createFakeLink()];
    world.relay.start();
    await world.arrive(first);
    world.relay.fromClient(listen);
    first.drop();
    await world.pass(50);
    expect(world.starting).toEqual(['if_needed', 'if_needed']);
    await world.arrive(second);
    second.say(stands);
    expect(world.told).toEqual([stands]);
  });

  test('that stands starts none, and waits for as long as it takes', async () => {
    const world = await listening();
    world.first.drop();
    world.starting.length = 0;
    for (let i = 0; i < 1000; i++) {
      await world.pass();
      await world.fail(NOBODY);
    }
    expect(new Set(world.starting)).toEqual(new Set(['never']));
    expect(world.told).toEqual([]);
    const second = await another(world);
    second.say(stands);
    expect(world.told).toEqual(NEWS);
  });

  test('outlives what is asked beside it and given up', async () => {
    const world = await listening();
    world.first.drop();
    world.relay.fromClient(call(1, 'chat'));
    await world.pass(50);
    await world.fail(new CallError('validation', 'port must be a number.'));
    expect(parsed(world.told)).toMatchObject([{ id: 1, error: {} }]);
    const second = await another(world);
    expect(second.sent).toEqual([listen]);
  });

  test('outlives any number of daemons that acknowledge it', async () => {
    const world = await listening();
    let link = world.first;
    for (let i = 0; i < 20; i++) {
      link.drop();
      link = await another(world);
      link.say(stands);
    }
    expect(world.told).toEqual(Array.from({ length: 20 }, () => NEWS).flat());
  });

  test('that three daemons went under is answered', async () => {
    const world = await listening();
    let link = world.first;
    for (let i = 0; i < 2; i++) {
      link.drop();
      link = await another(world);
    }
    expect(world.told).toEqual([]);
    link.drop();
    expect(parsed(world.told)).toMatchObject([
      { id: 's', error: { data: { error_class: 'interrupted' } } },
    ]);
    expect((await another(world)).sent).toEqual([]);
  });

  test('that was cancelled is not sent again, and its late notifications are dropped', async () => {
    const world = await listening();
    const cancel = notify('notifications/cancelled', { requestId: 's' });
    world.first.drop();
    world.relay.fromClient(cancel);
    expect((await another(world)).sent).toEqual([]);

    const other = await listening();
    other.first.drop();
    const second = await another(other);
    other.relay.fromClient(cancel);
    second.say(stands);
    expect([second.sent, other.told]).toEqual([[listen, cancel], []]);
  });

  test('that is too large to be kept ends with its daemon', async () => {
    const world = setup();
    const first = createFakeLink();
    world.relay.start();
    await world.arrive(first);
    const uri = 'x'.repeat(5_000_000);
    const wish = { notifications: { resourceSubscriptions: [uri] } };
    world.relay.fromClient(request('s', 'subscriptions/listen', wish));
    for (let i = 0; i < 2; i++) first.say(stands);
    expect(world.told.splice(0)).toEqual([stands]);
    first.drop();
    expect(parsed(world.told)).toMatchObject([
      { id: 's', error: { data: { error_class: 'interrupted' } } },
    ]);
  });

  test('that the next daemon refuses ends with that answer', async () => {
    const world = await listening();
    world.first.drop();
    const second = await another(world);
    second.say(errorAnswer('s'));
    second.drop();
    expect(world.told).toEqual([errorAnswer('s')]);
    expect((await another(world)).sent).toEqual([]);
  });

  test('is not harmed by acknowledgements that say nothing', async () => {
    const world = setup();
    const first = createFakeLink();
    world.relay.start();
    await world.arrive(first);
    world.relay.fromClient(listen);
    for (const params of [undefined, null, 'x', [], {}, { _meta: null }])
      first.say(notify('notifications/subscriptions/acknowledged', params as object));
    expect(world.told).toEqual([]);
    for (const wish of [null, [7], { resourceSubscriptions: 'a://1' }]) {
      first.say(acknowledgement('s', wish));
    }
    expect(world.told).toEqual([acknowledgement('s', null)]);
  });
});
