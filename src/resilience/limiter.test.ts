import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLimiter, type Admission, type Permit, type QueueEntry } from './limiter.ts';

const request = (fairnessKey: string, ...pools: string[]) => ({
  pools: ['global', ...pools],
  fairnessKey,
});

function createTwo(maxWaiting = 10) {
  return createLimiter({ capacity: (pool) => (pool === 'global' ? 2 : 1), maxWaiting });
}

function granted(admission: Admission): Permit {
  if (admission.is !== 'granted') throw new Error(`was ${admission.is}`);
  return admission.permit;
}

function waiting(admission: Admission): QueueEntry {
  if (admission.is !== 'waiting') throw new Error(`was ${admission.is}`);
  return admission.entry;
}

test('a request that fits runs at once, and a released permit goes to a waiting request', async () => {
  const limiter = createTwo();
  const first = granted(limiter.acquire(request('a')));
  granted(limiter.acquire(request('a')));
  const third = waiting(limiter.acquire(request('a')));
  expect([limiter.running, limiter.waiting]).toEqual([2, 1]);
  first.release();
  expect(await third.permit).toBeDefined();
  expect([limiter.running, limiter.waiting]).toEqual([2, 0]);
});

test('a permit released twice frees one slot', () => {
  const limiter = createTwo();
  const permit = granted(limiter.acquire(request('a')));
  granted(limiter.acquire(request('b')));
  permit.release();
  permit.release();
  expect(limiter.inUse('global')).toBe(1);
});

test('a full pool blocks only the requests that need it', () => {
  const limiter = createTwo();
  const asked = [request('a', 'kimi'), request('b', 'kimi'), request('c', 'glm')];
  expect(asked.map((one) => limiter.acquire(one).is)).toEqual(['granted', 'waiting', 'granted']);
});

test('the queue is round-robin by key: a flood of one key waits behind its own calls', async () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 10 });
  const order: string[] = [];
  let running = granted(limiter.acquire(request('flood')));
  const wait = (name: string) =>
    void waiting(limiter.acquire(request(name))).permit.then((permit) => {
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

test('in a full queue the key with most entries loses its newest one to a key that has none', async () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 2 });
  granted(limiter.acquire(request('flood')));
  waiting(limiter.acquire(request('flood')));
  const newest = waiting(limiter.acquire(request('flood')));
  expect(limiter.acquire(request('flood')).is).toBe('full');
  expect(limiter.acquire(request('other')).is).toBe('waiting');
  expect(await newest.permit).toBeUndefined();
  expect(limiter.waiting).toBe(2);
});

test('leaving the queue yields nothing, and leaving after the grant releases the permit', async () => {
  const limiter = createLimiter({ capacity: () => 1, maxWaiting: 2 });
  const running = granted(limiter.acquire(request('a')));
  const gone = waiting(limiter.acquire(request('b')));
  gone.leave();
  expect(await gone.permit).toBeUndefined();
  const late = waiting(limiter.acquire(request('c')));
  running.release();
  late.leave();
  expect([limiter.running, limiter.waiting]).toEqual([0, 0]);
});

test('in any order of acquire, release and leave, no pool exceeds its capacity and none leaks', async () => {
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
      const places: QueueEntry[] = [];
      for (const { act, turn, pool, which } of steps) {
        if (act === 'ask') {
          const admission = limiter.acquire(request(turn, pool));
          if (admission.is === 'granted') permits.push(admission.permit);
          if (admission.is === 'waiting') places.push(admission.entry);
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
