import { expect } from 'vitest';
import { nextOf } from '../inbox.ts';
import type { Peer } from '../peer.ts';
import type { Requirement } from '../requirement.ts';
import * as rpc from '../rpc.ts';
import { byMethod, call, expectError, textOf } from './words.ts';

const TOOLS_CHANGED = 'notifications/tools/list_changed';
const PROMPTS_CHANGED = 'notifications/prompts/list_changed';
const UPDATED = 'notifications/resources/updated';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
/** It changes with the tools. */
const WATCHED = 'exai://tools';

interface Wish {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/**
 * Has the peer told, in the way of its era. A legacy one hears of every list from the beginning on.
 */
async function listen(peer: Peer, wish: Wish): Promise<rpc.RequestId | undefined> {
  if (peer.era === 'modern') {
    const { id } = peer.start('subscriptions/listen', { notifications: wish });
    const { params } = await nextOf(peer.heard, ACKNOWLEDGED);
    expect(params).toEqual({ notifications: wish, _meta: { [rpc.SUBSCRIPTION_KEY]: id } });
    return id;
  }
  for (const uri of wish.resourceSubscriptions ?? []) {
    expect((await peer.request('resources/subscribe', { uri })).result).toEqual({});
  }
  return undefined;
}

async function change(peer: Peer, list: 'tool' | 'prompt'): Promise<void> {
  expect(textOf(await call(peer, `test_trigger_${list}_change`))).toContain('has changed');
}

/**
 * What is told without a question. All of it concerns everybody, so that each row needs the daemon
 * for itself.
 */
export const changeRows: readonly Requirement[] = [
  {
    id: 'changes:tools',
    says: 'a client is told when the tools change, whoever changes them',
    eras: 'both',
    runs: 'alone',
    async run(peer, { open }) {
      await listen(peer, { toolsListChanged: true });
      await change(await open(), 'tool');
      await nextOf(peer.heard, TOOLS_CHANGED);
    },
  },
  {
    id: 'changes:prompts',
    says: 'a client is told when the prompts change',
    eras: 'both',
    runs: 'alone',
    async run(peer) {
      await listen(peer, { promptsListChanged: true });
      await change(peer, 'prompt');
      await nextOf(peer.heard, PROMPTS_CHANGED);
      expect(byMethod(peer.heard.all, TOOLS_CHANGED)).toEqual([]);
    },
  },
  {
    id: 'changes:resource',
    says: 'a client is told when a resource changes that it watches',
    eras: 'both',
    runs: 'alone',
    async run(peer) {
      await listen(peer, { resourceSubscriptions: [WATCHED, 'test://watched-resource'] });
      await change(peer, 'tool');
      expect((await nextOf(peer.heard, UPDATED)).params).toMatchObject({ uri: WATCHED });
      expect(byMethod(peer.heard.all, UPDATED)).toHaveLength(1);
    },
  },
  {
    id: 'changes:unsubscribed',
    says: 'a client that no longer watches a resource is told nothing of it',
    eras: 'legacy',
    runs: 'alone',
    async run(peer) {
      await listen(peer, { resourceSubscriptions: [WATCHED] });
      expect((await peer.request('resources/unsubscribe', { uri: WATCHED })).result).toEqual({});
      await change(peer, 'tool');
      await nextOf(peer.heard, TOOLS_CHANGED);
      await change(peer, 'prompt');
      // On the same way and later: what was to come before it has come.
      await nextOf(peer.heard, PROMPTS_CHANGED);
      expect(byMethod(peer.heard.all, UPDATED)).toEqual([]);
    },
  },
  {
    id: 'changes:others',
    says: 'a client is told nothing of a resource that only another watches',
    eras: 'legacy',
    runs: 'alone',
    async run(peer, { open }) {
      const other = await open();
      await listen(other, { resourceSubscriptions: [WATCHED] });
      await change(peer, 'tool');
      await nextOf(other.heard, UPDATED);
      await change(peer, 'prompt');
      await nextOf(peer.heard, PROMPTS_CHANGED);
      expect(byMethod(peer.heard.all, UPDATED)).toEqual([]);
    },
  },
  {
    id: 'changes:unknown',
    says: 'a resource that does not exist cannot be watched',
    eras: 'legacy',
    async run(peer, context) {
      const uri = 'test://nowhere';
      const answer = await peer.request('resources/subscribe', { uri });
      expectError(answer, rpc.RESOURCE_NOT_FOUND, context);
      expect(answer.error?.data).toMatchObject({ uri });
      expectError(await peer.request('resources/subscribe'), rpc.INVALID_PARAMS, context);
    },
  },
  {
    id: 'changes:filter',
    says: 'a subscription is told what it asked for, under its id, and nothing else',
    eras: 'modern',
    runs: 'alone',
    async run(peer) {
      const id = await listen(peer, { promptsListChanged: true });
      await change(peer, 'tool');
      await change(peer, 'prompt');
      const { params } = await nextOf(peer.heard, PROMPTS_CHANGED);
      expect(params).toEqual({ _meta: { [rpc.SUBSCRIPTION_KEY]: id } });
      const methods = peer.heard.all.map(({ method }) => method);
      expect(methods).toEqual([ACKNOWLEDGED, PROMPTS_CHANGED]);
    },
  },
  {
    id: 'changes:granted',
    says: 'a subscription is told at once what of its wishes is granted',
    eras: 'modern',
    async run(peer, context) {
      const wishes = {
        toolsListChanged: false,
        promptsListChanged: true,
        resourceSubscriptions: ['test://nowhere', WATCHED, WATCHED],
        somethingElse: true,
      };
      peer.start('subscriptions/listen', { notifications: wishes });
      expect((await nextOf(peer.heard, ACKNOWLEDGED)).params).toMatchObject({
        notifications: { promptsListChanged: true, resourceSubscriptions: [WATCHED] },
      });
      for (const notifications of [undefined, 'all', { toolsListChanged: 'yes' }]) {
        const odd = await peer.request('subscriptions/listen', { notifications });
        expectError(odd, rpc.INVALID_PARAMS, context);
      }
    },
  },
  {
    id: 'changes:ended',
    says: 'a subscription that its client ends is told nothing more, and others go on',
    eras: 'modern',
    runs: 'alone',
    async run(peer) {
      const ending = await listen(peer, { toolsListChanged: true });
      const staying = await listen(peer, { toolsListChanged: true, promptsListChanged: true });
      await change(peer, 'tool');
      const told = [
        await nextOf(peer.heard, TOOLS_CHANGED),
        await nextOf(peer.heard, TOOLS_CHANGED),
      ];
      const ids = told.map(({ params }) => rpc.at(params, '_meta')) as rpc.Members[];
      expect(new Set(ids.map((meta) => meta[rpc.SUBSCRIPTION_KEY]))).toEqual(
        new Set([ending, staying]),
      );
      await peer.cancel(ending ?? '');
      await change(peer, 'tool');
      expect((await nextOf(peer.heard, TOOLS_CHANGED)).params).toEqual({
        _meta: { [rpc.SUBSCRIPTION_KEY]: staying },
      });
      await change(peer, 'prompt');
      await nextOf(peer.heard, PROMPTS_CHANGED);
      expect(byMethod(peer.heard.all, TOOLS_CHANGED)).toHaveLength(3);
      expect(peer.strays.all).toEqual([]);
    },
  },
  {
    id: 'changes:unasked',
    says: 'a client that did not ask for it is told nothing',
    eras: 'modern',
    runs: 'alone',
    async run(peer, { open }) {
      const other = await open();
      await listen(other, { toolsListChanged: true });
      const answer = await call(peer, 'test_trigger_tool_change');
      await nextOf(other.heard, TOOLS_CHANGED);
      expect(answer.told).toEqual([]);
      expect((await call(peer, 'test_simple_text')).told).toEqual([]);
      expect(peer.heard.all).toEqual([]);
    },
  },
];
