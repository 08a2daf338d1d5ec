import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createDelayLine } from './delay-line.ts';

function create(delayMs = 100) {
  const clock = createFakeClock();
  const due: string[] = [];
  const line = createDelayLine<string>(clock, delayMs, (item) => void due.push(item));
  return { clock, due, line };
}

test('everything falls due its own time after it came, in order, with one timer', () => {
  const { clock, due, line } = create();
  line.add('a');
  clock.advance(40);
  line.add('b');
  line.add('c');
  expect(clock.waiting).toBe(1);
  clock.advance(60);
  expect(due).toEqual(['a']);
  clock.advance(39);
  expect(due).toEqual(['a']);
  clock.advance(1);
  expect(due).toEqual(['a', 'b', 'c']);
  expect([line.size, clock.waiting]).toEqual([0, 0]);
});

test('what is taken out does not fall due, from the front, the middle or the end', () => {
  const { clock, due, line } = create();
  const [a, , c, , e] = ['a', 'b', 'c', 'd', 'e'].map((item) => line.add(item));
  for (const ticket of [c, a, e, a, undefined]) line.remove(ticket);
  expect([line.size, [...line.items()]]).toEqual([2, ['b', 'd']]);
  clock.advance(100);
  expect(due).toEqual(['b', 'd']);
});

test('a ticket of another line, or a used one, changes nothing', () => {
  const [one, other] = [create(), create()];
  const ticket = one.line.add('mine');
  other.line.add('theirs');
  other.line.remove(ticket);
  expect([one.line.size, other.line.size]).toEqual([1, 1]);
  one.clock.advance(100);
  one.line.remove(ticket);
  expect([one.line.size, one.due]).toEqual([0, ['mine']]);
});

test('something may be added again when it falls due', () => {
  const clock = createFakeClock();
  let times = 0;
  const line = createDelayLine<string>(clock, 10, (item) => {
    times += 1;
    if (times < 3) line.add(item);
  });
  line.add('again');
  clock.advance(100);
  expect([times, line.size]).toEqual([3, 0]);
});

test('what is added again when it falls due delays nobody who came before', () => {
  const clock = createFakeClock();
  const due: string[] = [];
  const line = createDelayLine<string>(clock, 100, (item) => {
    due.push(item);
    if (item === 'a') line.add('a again');
  });
  line.add('a');
  clock.advance(50);
  line.add('b');
  clock.advance(50);
  clock.advance(50);
  expect(due).toEqual(['a', 'b']);
  clock.advance(50);
  expect(due).toEqual(['a', 'b', 'a again']);
});

test('clearing stops the timer', () => {
  const { clock, line } = create();
  line.add('a');
  line.clear();
  expect([line.size, [...line.items()], clock.waiting]).toEqual([0, [], 0]);
});
