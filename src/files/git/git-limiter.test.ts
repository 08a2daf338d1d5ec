import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createGitLimiter } from './git-limiter.ts';

const never = new AbortController().signal;

/** Work that ends on request. */
function work() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun = 0;
  return {
    run: async () => {
      begun++;
      await ended;
    },
    end: () => end(),
    begun: () => begun,
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('one repository has two turns at once, and keeps no other waiting', async () => {
  const turns = createGitLimiter();
  const [slow, other] = [work(), work()];
  const slowOnes = [1, 2, 3, 4].map(() => turns.run('/slow', never, slow.run));
  const another = turns.run('/other', never, other.run);
  await settle();
  expect([slow.begun(), other.begun()]).toEqual([2, 1]);
  other.end();
  await another;
  slow.end();
  await Promise.all(slowOnes);
  expect(slow.begun()).toBe(4);
});

test('all repositories together have eight', async () => {
  const turns = createGitLimiter();
  const one = work();
  const all = Array.from({ length: 12 }, (_, at) => turns.run(`/${at}`, never, one.run));
  await settle();
  expect(one.begun()).toBe(8);
  one.end();
  await Promise.all(all);
  expect(one.begun()).toBe(12);
});

test('a cancelled call takes no slot, and a failed one releases its slot', async () => {
  const turns = createGitLimiter();
  const one = work();
  const running = [1, 2].map(() => turns.run('/a', never, one.run));
  const caller = new AbortController();
  const waiting = turns.run('/a', caller.signal, one.run);
  await settle();
  caller.abort(new CallError('cancelled', 'The caller left.'));
  await expect(waiting).rejects.toMatchObject({ class: 'cancelled' });
  one.end();
  await Promise.all(running);
  expect(one.begun()).toBe(2);
  for (let round = 0; round < 3; round++) {
    const failing = turns.run('/a', never, () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
  }
  await turns.run('/a', never, () => Promise.resolve());
});
