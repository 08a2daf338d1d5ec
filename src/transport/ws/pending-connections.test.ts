import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { THIS_MACHINE } from '../http/peer-address.ts';
import { createPendingConnections } from './pending-connections.ts';

function openPool(max: number) {
  const pending = createPendingConnections(max);
  const evicted: string[] = [];
  const come = (name: string, peer = THIS_MACHINE) => {
    const connection = { peer, isEvictable: true, evict: () => void evicted.push(name) };
    return Object.assign(connection, { isIn: pending.admit(connection) });
  };
  return { pending, evicted, come };
}

verifies('security:newcomers', 'the oldest gives way when all places are taken', () => {
  const { pending, evicted, come } = openPool(3);
  for (const name of ['a', 'b', 'c', 'd', 'e']) expect(come(name).isIn).toBe(true);
  expect([pending.size, evicted]).toEqual([3, ['a', 'b']]);
});

test('one whose caller is being identified stays', () => {
  const { evicted, come } = openPool(2);
  const first = come('first');
  first.isEvictable = false;
  come('second');
  expect([come('third').isIn, evicted]).toEqual([true, ['second']]);
});

test('without an evictable connection there is no room', () => {
  const { pending, come } = openPool(1);
  const only = come('only');
  only.isEvictable = false;
  expect(come('other').isIn).toBe(false);
  pending.leave(only);
  expect([come('other').isIn, pending.size]).toEqual([true, 1]);
});

verifies('security:newcomers', 'a peer on the network evicts its own beyond half', () => {
  const { evicted, come } = openPool(4);
  come('honest');
  for (const name of ['x1', 'x2', 'x3', 'x4']) come(name, '192.0.2.7');
  expect(evicted).toEqual(['x1', 'x2']);
});

test('the peer with the most places gives way to others', () => {
  const { evicted, come } = openPool(4);
  come('rare', '192.0.2.1');
  for (const name of ['l1', 'l2', 'l3']) come(name);
  come('other', '192.0.2.2');
  expect(evicted).toEqual(['l1']);
});

test('who left is counted no more, and once', () => {
  const { pending, come } = openPool(2);
  const one = come('one');
  pending.leave(one);
  pending.leave(one);
  expect(pending.size).toBe(0);
});
