import { describe, expect, test } from 'vitest';
import { INITIALIZE as HELLO, MODERN_META } from '../../src/transport/mcp/session.fixture.ts';
import { play, type Pace, type Played, type RelayResult } from './relay-kills.fixture.ts';
import { call, INITIALIZED, notify, request } from '../../src/client/shim/relay.fixture.ts';

const PACES: readonly Pace[] = ['in turn', 'at once', 'meanwhile'];
const ID_KEY = 'io.modelcontextprotocol/subscriptionId';

const LEGACY = [
  JSON.stringify(HELLO),
  INITIALIZED,
  request(1, 'logging/setLevel', { level: 'debug' }),
  request(2, 'resources/subscribe', { uri: 'test://a' }),
  request(3, 'resources/subscribe', { uri: 'test://b' }),
  request(4, 'tools/list'),
  request(5, 'resources/unsubscribe', { uri: 'test://a' }),
  call(6, 'echo'),
  request(7, 'resources/subscribe', { uri: 'test://c' }),
  request(8, 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'p' },
    argument: { name: 'x', value: 'v' },
  }),
];

const modern = (id: string | number, method: string, params: object = {}) =>
  request(id, method, { ...params, _meta: MODERN_META });
const MODERN = [
  modern(1, 'server/discover'),
  modern('s', 'subscriptions/listen', {
    notifications: { toolsListChanged: true, resourceSubscriptions: ['test://a', 'secret://b'] },
  }),
  modern(2, 'tools/list'),
  modern('t', 'subscriptions/listen', { notifications: { promptsListChanged: true } }),
  modern(3, 'tools/call', { name: 'echo' }),
  notify('notifications/cancelled', { requestId: 't' }),
  modern(4, 'prompts/list'),
];

/** All that there is of one kind, in the order it was told. */
const answers = ({ told }: Played) =>
  told.filter(({ result, error }) => result !== undefined || error !== undefined);
const named = (told: readonly RelayResult[], method: string) =>
  told.filter((each) => each.method === `notifications/${method}`);
function everyAnswerOnce(played: Played, ids: readonly number[]): void {
  const given = answers(played);
  expect(given.filter(({ error }) => error !== undefined)).toEqual([]);
  const numbers = given.map(({ id }) => Number(id));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(ids);
}

/** What the client hears from here on. */
async function hears(played: Played, change: () => void): Promise<RelayResult[]> {
  const before = played.told.length;
  change();
  await played.quiet();
  return played.told.slice(before);
}

/**
 * If the client knew before the last daemon came that it hears of an address, it has been told
 * since to look again.
 */
function hasLooked(
  { told, lastFrom }: Played,
  uri: string,
  knew: (each: RelayResult) => boolean,
): void {
  if (!told.slice(0, lastFrom).some(knew)) return;
  const since = named(told.slice(lastFrom), 'resources/updated');
  expect(since.map(({ params }) => params?.uri)).toContain(uri);
}

async function checkLegacy(played: Played): Promise<void> {
  everyAnswerOnce(played, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  hasLooked(played, 'test://b', ({ id }) => id === 3);
  hasLooked(played, 'test://c', ({ id }) => id === 7);
  const { calls } = played.daemon.mcp;
  const changes = await hears(played, () => {
    for (const at of ['a', 'b', 'c']) calls.change({ uri: `test://${at}` });
    for (const list of ['tools', 'prompts', 'resources'] as const) calls.change({ list });
  });
  expect(changes.map(({ method, params }) => params?.uri ?? method)).toEqual([
    'test://b',
    'test://c',
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
  ]);
  await played.say(call(99, 'wait'));
  const said = await hears(played, () =>
    calls.started.at(-1)?.request.onClientLog?.('debug', 'a word'),
  );
  expect(named(said, 'message')).toHaveLength(1);
}

async function checkModern(played: Played): Promise<void> {
  everyAnswerOnce(played, [1, 2, 3, 4]);
  const acknowledged = named(played.told, 'subscriptions/acknowledged');
  const ids = acknowledged.map(({ params }) => params?._meta?.[ID_KEY]);
  // The other was cancelled, maybe before anybody said that it stands.
  expect(ids.filter((id) => id === 's')).toEqual(['s']);
  expect(ids.filter((id) => id === 't').length).toBeLessThanOrEqual(1);
  hasLooked(played, 'test://a', ({ params }) => params?._meta?.[ID_KEY] === 's');
  const { calls } = played.daemon.mcp;
  const changes = await hears(played, () => {
    for (const list of ['tools', 'prompts'] as const) calls.change({ list });
    for (const uri of ['test://a', 'secret://b']) calls.change({ uri });
  });
  expect(changes.map(({ params }) => [params?._meta?.[ID_KEY], params?.uri])).toEqual([
    ['s', undefined],
    ['s', 'test://a'],
  ]);
}

describe.each([
  ['legacy', LEGACY, checkLegacy],
  ['modern', MODERN, checkModern],
] as const)('in the %s era', (_era, lines, check) => {
  test.each(PACES)(
    'a daemon may die at any message: each request has one answer and each wish holds (%s)',
    async (pace) => {
      const undisturbed = await play(lines, [], pace);
      const { moves } = undisturbed;
      await check(undisturbed);
      expect(moves).toBeGreaterThan(lines.length);
      for (let at = 0; at < moves; at++) {
        const played = await play(lines, [at], pace);
        expect(played.daemons).toBe(2);
        await check(played);
      }
    },
  );

  test.each(PACES)(
    'and so may the one that follows, at any message of its own (%s)',
    async (pace) => {
      for (let first = 0; ; first++) {
        const once = await play(lines, [first], pace);
        if (once.daemons === 1) break;
        for (let second = first + 1; second < once.moves; second++) {
          const played = await play(lines, [first, second], pace);
          expect(played.daemons).toBe(3);
          await check(played);
        }
      }
    },
  );
});

test('a client that was served hears from the next daemon what it may have missed', async () => {
  const { moves } = await play(LEGACY, [], 'in turn');
  const legacy = await play(LEGACY, [moves], 'in turn');
  await legacy.say(request(50, 'ping'));
  expect(legacy.daemons).toBe(2);
  const heard = legacy.told.slice(legacy.lastFrom);
  expect(heard.map(({ id, method, params }) => id ?? params?.uri ?? method)).toEqual([
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'test://b',
    'test://c',
    50,
  ]);
});
