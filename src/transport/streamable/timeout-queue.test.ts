import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createTimeoutQueue } from './timeout-queue.ts';

function create(delayMs = 100) {
  const clock = createFakeClock();
  const due: string[] = [];
  const queue = createTimeoutQueue<string>(clock, delayMs, (item) => void due.push(item));
  return { clock, due, queue };
}

test('everything falls due its own time after it came, in order, with one timer', () => {
  const { clock, due, queue } = create();
  queue.add('a');
  clock.advance(40);
  queue.add('b');
  queue.add('c');
  expect(clock.waiting).toBe(1);
  clock.advance(60);
  expect(due).toEqual(['a']);
  clock.advance(39);
  expect(due).toEqual(['a']);
  clock.advance(1);
  expect(due).toEqual(['a', 'b', 'c']);
  expect([queue.size, clock.waiting]).toEqual([0, 0]);
});

test('what is taken out does not fall due, from the front, the middle or the end', () => {
  const { clock, due, queue } = create();
  const [a, , c, , e] = ['a', 'b', 'c', 'd', 'e'].map((item) => queue.add(item));
  for (const timeout of [c, a, e, a, undefined]) queue.remove(timeout);
  expect([queue.size, [...queue.items()]]).toEqual([2, ['b', 'd']]);
  clock.advance(100);
  expect(due).toEqual(['b', 'd']);
});

test('an entry of another queue, or one that is not waiting, changes nothing', () => {
  const [one, other] = [create(), create()];
  const timeout = one.queue.add('mine');
  other.queue.add('theirs');
  other.queue.remove(timeout);
  expect([one.queue.size, other.queue.size]).toEqual([1, 1]);
  one.clock.advance(100);
  one.queue.remove(timeout);
  expect([one.queue.size, one.due]).toEqual([0, ['mine']]);
});

test('something may be added again when it falls due', () => {
  const clock = createFakeClock();
  let times = 0;
  const queue = createTimeoutQueue<string>(clock, 10, (item) => {
    times += 1;
    if (times < 3) queue.add(item);
  });
  queue.add('again');
  clock.advance(100);
  expect([times, queue.size]).toEqual([3, 0]);
});

test('an item that is added again when due does not delay earlier ones', () => {
  const clock = createFakeClock();
  const due: string[] = [];
  const queue = createTimeoutQueue<string>(clock, 100, (item) => {
    due.push(item);
    if (item === 'a') queue.add('a again');
  });
  queue.add('a');
  clock.advance(50);
  queue.add('b');
  clock.advance(50);
  clock.advance(50);
  expect(due).toEqual(['a', 'b']);
  clock.advance(50);
  expect(due).toEqual(['a', 'b', 'a again']);
});

test('clearing stops the timer', () => {
  const { clock, queue } = create();
  queue.add('a');
  queue.clear();
  expect([queue.size, [...queue.items()], clock.waiting]).toEqual([0, [], 0]);
});
