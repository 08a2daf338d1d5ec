import { expect } from 'vitest';
import type { PeerAnswer } from '../peer.ts';
import type { Context, Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { call, expectError, textOf } from './words.ts';

const MANY = 200;
const SLOW = 'test_reconnection';

function expectRefused({ message, status }: PeerAnswer, code: number, context: Context): void {
  expectError({ ...message, ...(status !== undefined && { status }) }, code, context, 400);
}

/** JSON-RPC itself: ids, and what is no message. */
export const messageRows: readonly Requirement[] = [
  {
    id: 'ids',
    says: 'an id comes back as it was, be it a text, a number or nought',
    eras: 'both',
    async run(peer) {
      const ids = [0, -1, 77, '77', 'a text', '', '日本 "\\'];
      const answers = await Promise.all(
        ids.map((id) => call(peer, 'test_simple_text', {}, { id })),
      );
      for (const answer of answers) expect(textOf(answer)).toContain('simple text');
      expect(peer.strays.all).toEqual([]);
    },
  },
  {
    id: 'ids:twice',
    says: 'an id that is still in flight is refused, and the first request goes on',
    eras: 'both',
    except: [
      {
        transport: 'http',
        era: 'modern',
        because: 'every request stands by itself there, so that no two ids can meet',
      },
    ],
    async run(peer) {
      const id = 'twice';
      const first = call(peer, SLOW, {}, { id });
      const second = call(peer, 'version', {}, { id });
      const answers = await Promise.all([first, second]);
      const errors = answers.flatMap(({ error }) => error ?? []);
      expect(errors).toMatchObject([{ code: rpc.INVALID_REQUEST }]);
      const done = answers.find(({ result }) => result);
      expect(done && textOf(done)).toContain('has reconnected');
    },
  },
  {
    id: 'many',
    says: `${MANY} requests at once are answered once each, by their ids`,
    eras: 'both',
    async run(peer) {
      const numbers = Array.from({ length: MANY }, (_, index) => index);
      await Promise.all(
        numbers.map(async (number) => {
          if (number % 4 === 0) {
            const { result } = await peer.request('tools/list');
            expect(result).toHaveProperty('tools');
          } else if (number % 4 === 1) {
            const uri = `test://template/${number}/data`;
            const { result } = await peer.request('resources/read', { uri });
            expect(rpc.at(result, 'contents.0.text')).toContain(`"id":"${number}"`);
          } else {
            const name = `number ${number}`;
            const answer = await call(peer, 'json_schema_2020_12_tool', { name });
            expect(textOf(answer)).toContain(`{"name":"${name}"}`);
          }
        }),
      );
      expect(peer.strays.all).toEqual([]);
    },
  },
  {
    id: 'batch',
    says: 'a batch is refused',
    eras: 'both',
    async run(peer, context) {
      const one = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
      expectRefused(await peer.say(JSON.stringify([one, one])), rpc.INVALID_REQUEST, context);
      expectRefused(await peer.say('[]'), rpc.INVALID_REQUEST, context);
      expect((await peer.request('tools/list')).result).toHaveProperty('tools');
    },
  },
  {
    id: 'no-json',
    says: 'what is no JSON is refused, and the next message is served',
    eras: 'both',
    async run(peer, context) {
      expectRefused(await peer.say('{"jsonrpc":"2.0",'), rpc.PARSE_ERROR, context);
      expect((await peer.request('tools/list')).result).toHaveProperty('tools');
    },
  },
  {
    id: 'no-message',
    says: 'JSON that is no message is refused',
    eras: 'both',
    async run(peer, context) {
      for (const odd of ['7', '{"id":"x1"}', '{"jsonrpc":"1.0","id":"x2","method":"tools/list"}']) {
        expectRefused(await peer.say(odd), rpc.INVALID_REQUEST, context);
      }
      const listed = '{"jsonrpc":"2.0","id":"x3","method":"tools/list","params":[]}';
      expectRefused(await peer.say(listed), rpc.INVALID_PARAMS, context);
      const nameless = '{"jsonrpc":"2.0","id":null,"method":"tools/list"}';
      expectRefused(await peer.say(nameless), rpc.INVALID_REQUEST, context);
    },
  },
  {
    id: 'notifications:unknown',
    says: 'a notification that nobody knows, or that comes too late, does no harm',
    eras: 'both',
    async run(peer) {
      await peer.notify('notifications/nobody_knows', { a: 1 });
      await peer.notify('notifications/cancelled', { requestId: 'never was' });
      expect((await peer.request('tools/list')).result).toHaveProperty('tools');
      expect(peer.strays.all).toEqual([]);
    },
  },
];
