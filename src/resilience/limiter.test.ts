import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLimiter, type Admission, type Permit, type Place } from './limiter.ts';

const ticket = (turn: string, ...pools: string[]) => ({ pools: ['global', ...pools], turn });

function createTwo(maxWaiting = 10) {
  return createLimiter({ capacity: (pool) => (pool === 'global' ? 2 : 1), maxWaiting });
}

function granted(admission: Admission): Permit {
  if (admission.is !== 'granted') throw new Error(`was ${admission.is}`);
  return admission.permit;
}

function waiting(admission: Admission): Place {
  if (admission.is !== 'waiting') throw new Error(`was ${admission.is}`);
  return admission.place;
}

test('what fits runs at once, and a released permit goes to who waits', async () => {
  const limiter = createTwo();
  const first = granted(limiter.ask(ticket('a')));
  granted(limiter.ask(ticket('a')));
  const third = waiting(limiter.ask(ticket('a')));
  expect([limiter.running, limiter.waiting]).toEqual([2, 1]);
  first.release();
  expect(await third.permit).toBeDefined();
  expect([limiter.running, limiter.waiting]).toEqual([2, 0]);
});

test('a permit given back twice frees one place', () => {
  const limiter = createTwo();
  const permit = granted(limiter.ask(ticket('a')));
  granted(limiter.ask(ticket('b')));
  permit.release();
  permit.release();
  expect(limiter.inUse('global')).toBe(1);
});

test('a full pool holds up only those who need it', () => {
  const limiter = createTwo();
  const asked = [ticket('a', 'kimi'), ticket('b', 'kimi'), ticket('c', 'glm')];
  expect(asked.map((one) => limiter.ask(one).is)).toEqual(['granted', 'waiting', 'granted']);
});

test('turns go round: a flood of one waits behind its own calls', async () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 10 });
  const order: string[] = [];
  let running = granted(limiter.ask(ticket('flood')));
  const wait = (name: string) =>
    void waiting(limiter.ask(ticket(name))).permit.then((permit) => {
      order.push(name);
      if (permit) running = permit;
    });
  for (const name of ['flood', 'flood', 'flood', 'other']) wait(name);
  for (let turn = 0; turn < 4; turn++) {
    running.release();
    await Promise.resolve();
  }
  expect(order).toEqual(['flood', 'other', 'flood', 'flood']);
});

test('in a full queue the greediest gives up their newest place to one who has none', async () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 2 });
  granted(limiter.ask(ticket('flood')));
  waiting(limiter.ask(ticket('flood')));
  const newest = waiting(limiter.ask(ticket('flood')));
  expect(limiter.ask(ticket('flood')).is).toBe('full');
  expect(limiter.ask(ticket('other')).is).toBe('waiting');
  expect(await newest.permit).toBeUndefined();
  expect(limiter.waiting).toBe(2);
});

test('who leaves the queue gets nothing, and who leaves after the grant gives it back', async () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 2 });
  const running = granted(limiter.ask(ticket('a')));
  const gone = waiting(limiter.ask(ticket('b')));
  gone.leave();
  expect(await gone.permit).toBeUndefined();
  const late = waiting(limiter.ask(ticket('c')));
  running.release();
  late.leave();
  expect([limiter.running, limiter.waiting]).toEqual([0, 0]);
});

test('whatever is asked, released and left in any order, no pool is over its capacity and none leaks', async () => {
  const step = fc.record({
    act: fc.constantFrom('ask', 'release', 'leave'),
    turn: fc.constantFrom('a', 'b', 'c'),
    pool: fc.constantFrom('kimi', 'glm', 'session:a'),
    which: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const limiter = createLimiter({ capacity: (pool) => pool.length % 3 || 1, maxWaiting: 5 });
      const permits: Permit[] = [];
      const places: Place[] = [];
      for (const { act, turn, pool, which } of steps) {
        if (act === 'ask') {
          const admission = limiter.ask(ticket(turn, pool));
          if (admission.is === 'granted') permits.push(admission.permit);
          if (admission.is === 'waiting') places.push(admission.place);
        }
        if (act === 'release') permits[which % permits.length]?.release();
        if (act === 'leave') places[which % places.length]?.leave();
        for (const name of ['global', 'kimi', 'glm', 'session:a'])
          expect(limiter.inUse(name)).toBeLessThanOrEqual(name.length % 3 || 1);
        expect(limiter.waiting).toBeLessThanOrEqual(5);
      }
      for (const place of places) place.leave();
      for (const permit of permits) permit.release();
      expect([limiter.running, limiter.waiting, limiter.inUse('global')]).toEqual([0, 0, 0]);
    }),
  );
});
