import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { THIS_MACHINE } from '../http/peer.ts';
import { createNewcomers } from './newcomers.ts';

function openPool(max: number) {
  const newcomers = createNewcomers(max);
  const evicted: string[] = [];
  const come = (name: string, peer = THIS_MACHINE) => {
    const newcomer = { peer, isEvictable: true, evict: () => void evicted.push(name) };
    return Object.assign(newcomer, { isIn: newcomers.admit(newcomer) });
  };
  return { newcomers, evicted, come };
}

verifies('security:newcomers', 'the oldest gives way when all places are taken', () => {
  const { newcomers, evicted, come } = openPool(3);
  for (const name of ['a', 'b', 'c', 'd', 'e']) expect(come(name).isIn).toBe(true);
  expect([newcomers.size, evicted]).toEqual([3, ['a', 'b']]);
});

test('one whose caller is being identified stays', () => {
  const { evicted, come } = openPool(2);
  const first = come('first');
  first.isEvictable = false;
  come('second');
  expect([come('third').isIn, evicted]).toEqual([true, ['second']]);
});

test('where nobody can give way there is no room', () => {
  const { newcomers, come } = openPool(1);
  const only = come('only');
  only.isEvictable = false;
  expect(come('other').isIn).toBe(false);
  newcomers.leave(only);
  expect([come('other').isIn, newcomers.size]).toEqual([true, 1]);
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
  const { newcomers, come } = openPool(2);
  const one = come('one');
  newcomers.leave(one);
  newcomers.leave(one);
  expect(newcomers.size).toBe(0);
});
