import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import {
  answer,
  call,
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

const NOBODY = new CallError('network', 'Nobody.');

/** A relay whose daemon was stopped while nothing was under way, after some looks around. */
async function idle(looks = 3) {
  const world = await initialised();
  world.first.drop();
  await world.pass();
  world.starting.length = 0;
  for (let i = 0; i < looks; i++) {
    await world.fail(NOBODY);
    await world.pass();
  }
  return world;
}

verifies(
  'shim:idle',
  'while nothing is under way a daemon that was stopped is looked for, and never started',
  async () => {
    const world = await idle(1000);
    expect(new Set(world.starting)).toEqual(new Set(['never']));
    expect(world.told).toEqual([]);
    expect(world.warned).toEqual([]);
    expect(world.log.lines.map(({ event }) => event)).toEqual(['connection_lost']);
  },
);

test('a daemon that another program started is found within two seconds', async () => {
  const world = await idle(20);
  const second = createFakeLink();
  await world.arrive(second);
  expect(second.sent).toEqual([REPLAYED]);
  second.say(answer('exai-shim-initialize'));
  expect(world.told).toEqual(LISTS_CHANGED);
});

test('a request ends the pause between two looks, and starts a daemon', async () => {
  const world = await idle(20);
  await world.fail(NOBODY);
  expect(world.starting).toHaveLength(20);
  world.relay.fromClient(call(1, 'chat'));
  await world.settle();
  expect(world.starting.slice(20)).toEqual(['if_needed']);
  const second = createFakeLink();
  await world.arrive(second);
  second.say(answer('exai-shim-initialize'));
  expect(second.sent).toEqual([REPLAYED, INITIALIZED, call(1, 'chat')]);
});

test('a request during an idle attempt leads to a start as soon as that attempt fails', async () => {
  const world = await idle();
  world.relay.fromClient(call(1, 'chat'));
  await world.fail(NOBODY);
  expect(world.starting.at(-1)).toBe('if_needed');
  await world.fail(NOBODY);
  await world.pass(50);
  expect(world.starting.slice(-2)).toEqual(['if_needed', 'if_needed']);
});

test('when the daemon goes under a request that may be asked again, the next is started', async () => {
  const world = await initialised();
  world.relay.fromClient(call(1, 'status'));
  world.first.drop();
  await world.pass(50);
  expect(world.starting).toEqual(['if_needed', 'if_needed']);
});

test('what asks for no answer starts nothing, what no parser takes is for a daemon to refuse', async () => {
  const world = await idle();
  world.relay.fromClient(notify('notifications/roots/list_changed'));
  await world.fail(NOBODY);
  await world.pass();
  expect(new Set(world.starting)).toEqual(new Set(['never']));
  world.relay.fromClient('not JSON');
  await world.fail(NOBODY);
  expect(world.starting.at(-1)).toBe('if_needed');
});

test('a cancelled request needs no daemon any more', async () => {
  const world = await idle();
  world.relay.fromClient(call(1, 'chat'));
  world.relay.fromClient(notify('notifications/cancelled', { requestId: 1 }));
  await world.fail(NOBODY);
  await world.pass();
  expect(world.starting.at(-1)).toBe('never');
});

test('a client that only asks whether we are there is answered without a daemon', async () => {
  const world = await idle();
  world.relay.fromClient(request(1, 'ping'));
  expect(world.told).toEqual([answer(1)]);
  await world.fail(NOBODY);
  expect(new Set(world.starting)).toEqual(new Set(['never']));
});

test('a daemon that refuses to start is quoted at once, with its class, whatever that is', async () => {
  const world = setup();
  world.relay.start();
  world.relay.fromClient(INITIALIZE);
  const words = 'PostgreSQL at db:5432 cannot be reached';
  await world.fail(new CallError('network', words, { fix: 'Start it.', cause: { startExit: 16 } }));
  expect(parsed(world.told)).toMatchObject([
    { id: 0, error: { code: -31061, data: { error_class: 'network', retryable: true } } },
  ]);
  expect(world.told[0]).toContain(`cannot be reached. ${words}. Start it. It will be tried again`);
  await world.pass();
  expect(world.starting).toEqual(['if_needed', 'never']);
});

test('after each refusal in a row the next start waits longer, up to five seconds', async () => {
  const world = setup();
  const refusal = () => new CallError('conflict', 'Port 80 is taken.', { cause: { startExit: 7 } });
  world.relay.start();
  const waits: number[] = [];
  for (let id = 0; id < 7; id++) {
    world.relay.fromClient(request(id, 'tools/list'));
    const begun = world.clock.monotonic();
    while (world.starting.filter((start) => start === 'if_needed').length <= id) {
      if (world.tried() > 0) await world.fail(NOBODY);
      await world.pass(10);
    }
    waits.push(world.clock.monotonic() - begun);
    await world.fail(refusal());
    expect(world.told).toHaveLength(id + 1);
  }
  expect(waits).toEqual([0, 500, 1000, 2000, 4000, 5000, 5000]);
});

test('each reason is reported once on stderr', async () => {
  const world = setup();
  world.relay.start();
  world.relay.fromClient(INITIALIZE);
  for (const words of ['Nobody.', 'Nobody.', 'Somebody else']) {
    await world.fail(new CallError('network', words));
    await world.pass(100);
  }
  expect(world.warned).toEqual([
    'The daemon of EX-AI cannot be reached. Nobody.',
    'The daemon of EX-AI cannot be reached. Somebody else.',
  ]);
});

test('the end of the relay ends the pause of its search', async () => {
  const world = await idle();
  await world.fail(NOBODY);
  world.relay.stop();
  expect(world.clock.waiting).toBe(0);
  await world.pass(10_000);
  expect(world.starting).toHaveLength(3);
});
