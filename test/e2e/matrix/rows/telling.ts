import { expect } from 'vitest';
import type { Peer, RequestOptions } from '../peer.ts';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { byMethod, call, expectError, textOf } from './words.ts';

const PROGRESS = 'notifications/progress';
const LOGGED = 'notifications/message';

/**
 * Has the client told from a level on: for good in the legacy era, and for one request in the
 * modern one.
 */
async function fromLevel(peer: Peer, level: string): Promise<RequestOptions> {
  if (peer.era === 'modern') return { meta: { [rpc.LOG_LEVEL_KEY]: level } };
  expect((await peer.request('logging/setLevel', { level })).result).toEqual({});
  return {};
}

/** What a tool says before it answers. */
export const tellingRows: readonly Requirement[] = [
  {
    id: 'progress',
    says: 'a tool reports progress that grows, by the token it was given',
    eras: 'both',
    async run(peer) {
      for (const progressToken of ['a token', 0]) {
        const answer = await call(peer, 'test_tool_with_progress', {}, { meta: { progressToken } });
        expect(textOf(answer)).toContain('all the way');
        expect(byMethod(answer.told, PROGRESS).map(({ params }) => params)).toEqual(
          [0, 50, 100].map((progress) => ({ progressToken, progress, total: 100 })),
        );
      }
    },
  },
  {
    id: 'progress:none',
    says: 'a tool reports progress only with a token',
    eras: 'both',
    async run(peer) {
      const answer = await call(peer, 'test_tool_with_progress');
      expect(textOf(answer)).toContain('all the way');
      expect(answer.told).toEqual([]);
    },
  },
  {
    id: 'progress:apart',
    says: 'the progress of two calls at once is told apart by their tokens',
    eras: 'both',
    async run(peer) {
      const tokens = ['one', 'two'];
      const answers = await Promise.all(
        tokens.map((progressToken) =>
          call(peer, 'test_tool_with_progress', {}, { meta: { progressToken } }),
        ),
      );
      const told = new Set(answers.flatMap((answer) => answer.told));
      for (const token of tokens) {
        const mine = [...told].filter(({ params }) => params?.['progressToken'] === token);
        expect(mine.map(({ params }) => params?.['progress'])).toEqual([0, 50, 100]);
      }
    },
  },
  {
    id: 'logging',
    says: 'a tool tells the log of its client, in order',
    eras: 'both',
    async run(peer) {
      const options = await fromLevel(peer, 'debug');
      const { told } = await call(peer, 'test_tool_with_logging', {}, options);
      expect(byMethod(told, LOGGED).map(({ params }) => params)).toMatchObject([
        { level: 'info', data: 'Tool execution started' },
        { level: 'info', data: 'Tool processing data' },
        { level: 'info', data: 'Tool execution completed' },
      ]);
    },
  },
  {
    id: 'logging:level',
    says: 'what is below the level that was asked for is not told',
    eras: 'both',
    async run(peer) {
      for (const [level, count] of [
        ['info', 1],
        ['notice', 0],
        ['emergency', 0],
      ] as const) {
        const options = await fromLevel(peer, level);
        const { told } = await call(peer, 'test_logging_tool', {}, options);
        expect(byMethod(told, LOGGED)).toHaveLength(count);
      }
    },
  },
  {
    id: 'logging:silent',
    says: 'nothing is told to the log of a client that did not ask for it',
    eras: 'modern',
    async run(peer) {
      const options = await fromLevel(peer, 'debug');
      expect((await call(peer, 'test_logging_tool', {}, options)).told).toHaveLength(1);
      expect((await call(peer, 'test_logging_tool')).told).toEqual([]);
    },
  },
  {
    id: 'logging:apart',
    says: 'the level of one client is not that of another',
    eras: 'legacy',
    async run(peer, { open }) {
      const other = await open();
      await fromLevel(peer, 'debug');
      await fromLevel(other, 'emergency');
      expect((await call(peer, 'test_logging_tool')).told).toHaveLength(1);
      expect((await call(other, 'test_logging_tool')).told).toEqual([]);
    },
  },
  {
    id: 'logging:odd',
    says: 'a level that nobody knows is refused',
    eras: 'legacy',
    async run(peer, context) {
      for (const level of ['loud', 7, undefined]) {
        const answer = await peer.request('logging/setLevel', { level });
        expectError(answer, rpc.INVALID_PARAMS, context);
      }
    },
  },
];
