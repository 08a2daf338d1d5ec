import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createReceiveBuffers } from './receive-buffers.ts';
import { THIS_MACHINE } from './peer-address.ts';

function openBudget(maxBytes: number) {
  const clock = createFakeClock();
  const dropped: string[] = [];
  let cuts = 0;
  const receiveBuffers = createReceiveBuffers({
    maxBytes,
    clock,
    onDropped: () => void (cuts += 1),
  });
  /** A sender whose received bytes the test sets. */
  const sender = (name: string, about: { principal?: string; peer?: string } = {}) => {
    const state = { received: 0 };
    const { principal = 'local', peer = THIS_MACHINE } = about;
    const holding = receiveBuffers.open({
      principal,
      peer,
      received: () => state.received,
      drop: () => void dropped.push(name),
    });
    return { ...holding, state };
  };
  return { receiveBuffers, clock, dropped, sender, cuts: () => cuts };
}

test('reserved bytes are counted, and released at once', () => {
  const { receiveBuffers, sender } = openBudget(100);
  const one = sender('one');
  expect([one.reserve(60), one.reserve(40), one.reserve(1)]).toEqual([true, true, false]);
  expect(receiveBuffers.totalBytes).toBe(100);
  one.release();
  one.release();
  expect([receiveBuffers.totalBytes, one.reserve(100)]).toEqual([0, true]);
});

verifies('security:unfinished', 'a slow sender is dropped, one that makes progress is not', () => {
  const { receiveBuffers, clock, dropped, sender, cuts } = openBudget(100);
  const [stalled, trickling, steady] = [sender('stalled'), sender('trickling'), sender('steady')];
  for (const each of [stalled, trickling, steady]) each.reserve(30);
  const newcomer = sender('newcomer');
  expect(newcomer.reserve(30)).toBe(false);
  clock.advance(1000);
  trickling.state.received = 100;
  steady.state.received = 100_000;
  expect([newcomer.reserve(30), newcomer.reserve(30)]).toEqual([true, true]);
  expect(dropped.toSorted()).toEqual(['stalled', 'trickling']);
  clock.advance(100);
  expect([sender('late').reserve(30), cuts(), receiveBuffers.totalBytes]).toEqual([false, 2, 90]);
});

test('a burst does not protect a sender that stops after it', () => {
  const { clock, dropped, sender } = openBudget(100);
  const burst = sender('burst');
  burst.reserve(50);
  burst.state.received = 10_000_000;
  burst.reserve(50);
  const next = sender('next');
  expect(next.reserve(10)).toBe(false);
  clock.advance(250);
  expect([next.reserve(10), dropped]).toEqual([true, ['burst']]);
});

test('a principal at its limit makes room only by its own senders', () => {
  const { clock, dropped, sender } = openBudget(100);
  const [low, owner] = [sender('low', { principal: 'low' }), sender('owner')];
  low.reserve(50);
  owner.reserve(50);
  clock.advance(1000);
  expect(sender('low again', { principal: 'low' }).reserve(50)).toBe(true);
  expect(dropped).toEqual(['low']);
});

verifies('security:unfinished', 'a remote peer has at most half, whatever its principal', () => {
  const { dropped, sender } = openBudget(100);
  const peer = '192.0.2.7';
  expect([sender('a', { peer }).reserve(50), sender('b', { peer }).reserve(1)]).toEqual([
    true,
    false,
  ]);
  expect([sender('c', { peer: '192.0.2.8' }).reserve(50), dropped]).toEqual([true, []]);
});

test('no sender is dropped if that would not help', () => {
  const { clock, dropped, sender } = openBudget(100);
  sender('a').reserve(60);
  const low = sender('low', { principal: 'low' });
  low.reserve(30);
  clock.advance(1000);
  expect([sender('more', { principal: 'low' }).reserve(51), dropped]).toEqual([false, []]);
});
