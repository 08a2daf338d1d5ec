import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createArriving } from './arriving.ts';
import { THIS_MACHINE } from './peer.ts';

function openBudget(maxBytes: number) {
  const clock = createFakeClock();
  const cut: string[] = [];
  let cuts = 0;
  const arriving = createArriving({ maxBytes, clock, onCut: () => void (cuts += 1) });
  /** A sender of which the test says how much has come. */
  const sender = (name: string, about: { principal?: string; peer?: string } = {}) => {
    const state = { received: 0 };
    const { principal = 'local', peer = THIS_MACHINE } = about;
    const holding = arriving.hold({
      principal,
      peer,
      received: () => state.received,
      cut: () => void cut.push(name),
    });
    return { ...holding, state };
  };
  return { arriving, clock, cut, sender, cuts: () => cuts };
}

test('what is taken is counted, and released at once', () => {
  const { arriving, sender } = openBudget(100);
  const one = sender('one');
  expect([one.take(60), one.take(40), one.take(1)]).toEqual([true, true, false]);
  expect(arriving.totalBytes).toBe(100);
  one.release();
  one.release();
  expect([arriving.totalBytes, one.take(100)]).toEqual([0, true]);
});

verifies(
  'security:unfinished',
  'one that hardly sends gives way, one that makes progress does not',
  () => {
    const { arriving, clock, cut, sender, cuts } = openBudget(100);
    const [stalled, trickling, steady] = [sender('stalled'), sender('trickling'), sender('steady')];
    for (const each of [stalled, trickling, steady]) each.take(30);
    const newcomer = sender('newcomer');
    expect(newcomer.take(30)).toBe(false);
    clock.advance(1000);
    trickling.state.received = 100;
    steady.state.received = 100_000;
    expect([newcomer.take(30), newcomer.take(30)]).toEqual([true, true]);
    expect(cut.toSorted()).toEqual(['stalled', 'trickling']);
    clock.advance(100);
    expect([sender('late').take(30), cuts(), arriving.totalBytes]).toEqual([false, 2, 90]);
  },
);

test('a burst does not protect who sends nothing after it', () => {
  const { clock, cut, sender } = openBudget(100);
  const burst = sender('burst');
  burst.take(50);
  burst.state.received = 10_000_000;
  burst.take(50);
  const next = sender('next');
  expect(next.take(10)).toBe(false);
  clock.advance(250);
  expect([next.take(10), cut]).toEqual([true, ['burst']]);
});

test('a principal that has its share gives way to itself alone', () => {
  const { clock, cut, sender } = openBudget(100);
  const [low, owner] = [sender('low', { principal: 'low' }), sender('owner')];
  low.take(50);
  owner.take(50);
  clock.advance(1000);
  expect(sender('low again', { principal: 'low' }).take(50)).toBe(true);
  expect(cut).toEqual(['low']);
});

verifies('security:unfinished', 'a peer on the network has at most half, whoever it is', () => {
  const { cut, sender } = openBudget(100);
  const peer = '192.0.2.7';
  expect([sender('a', { peer }).take(50), sender('b', { peer }).take(1)]).toEqual([true, false]);
  expect([sender('c', { peer: '192.0.2.8' }).take(50), cut]).toEqual([true, []]);
});

test('nobody is cut where that would not help', () => {
  const { clock, cut, sender } = openBudget(100);
  sender('a').take(60);
  const low = sender('low', { principal: 'low' });
  low.take(30);
  clock.advance(1000);
  expect([sender('more', { principal: 'low' }).take(51), cut]).toEqual([false, []]);
});
