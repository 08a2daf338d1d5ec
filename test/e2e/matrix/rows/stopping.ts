import { expect } from 'vitest';
import { nextOf } from '../inbox.ts';
import type { Answer } from '../peer.ts';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { textOf, until } from './words.ts';

/** What clients see of a daemon that is asked to stop. */
export const stoppingRows: readonly Requirement[] = [
  {
    id: 'stopping:calls',
    says: 'a daemon that is asked to stop answers what is under way',
    eras: 'both',
    async run(_peer, { startDaemon, open }) {
      const daemon = await startDaemon();
      const peer = await open({ of: daemon });
      const params = { name: 'test_tool_with_progress' };
      const { told, answer } = peer.start('tools/call', params, { meta: { progressToken: 1 } });
      await until(
        () => told.length,
        (count) => expect(count).toBeGreaterThan(0),
      );
      const [finished] = await Promise.all([answer, daemon.stop()]);
      expect(textOf(finished)).toContain('all the way');
    },
  },
  {
    id: 'stopping:subscriptions',
    says: 'a daemon that is asked to stop says the last word of every subscription',
    eras: 'modern',
    except: [
      {
        transport: 'shim',
        because: 'the shim keeps the subscriptions of its client for the daemon that follows',
      },
    ],
    async run(_peer, { startDaemon, open }) {
      const daemon = await startDaemon();
      const peer = await open({ of: daemon });
      const wish = { notifications: { toolsListChanged: true } };
      const { id, answer } = peer.start('subscriptions/listen', wish);
      await nextOf(peer.heard, 'notifications/subscriptions/acknowledged');
      let last: Answer | undefined;
      void answer.then((given) => (last = given));
      await daemon.stop();
      await until(
        () => last?.result,
        (result) =>
          expect(result).toMatchObject({
            resultType: 'complete',
            _meta: { [rpc.SUBSCRIPTION_KEY]: id },
          }),
      );
    },
  },
];
