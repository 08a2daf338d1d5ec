import { expect, test } from 'vitest';
import { oneByOne, type Batches } from './one-by-one.ts';

/** Gives these batches, then what comes after them, each when it is let go. */
function batchesOf(
  batches: readonly (readonly number[])[],
  after: () => undefined = () => undefined,
): Batches<number> & { closed: number } {
  let at = 0;
  return {
    closed: 0,
    async next() {
      await Promise.resolve();
      return batches[at++] ?? after();
    },
    close() {
      this.closed += 1;
    },
  };
}

async function read(items: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('what comes in batches is handed out in its order, empty batches passed over', async () => {
  const items = oneByOne(batchesOf([[1, 2], [], [3], [4, 5, 6], []]));
  expect(await read(items)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await items.next()).toEqual({ done: true, value: undefined });
});

test('who asks many times at once gets everything once and in order', async () => {
  const items = oneByOne(batchesOf([[1], [2, 3], [4]]));
  const asked = Array.from({ length: 6 }, () => items.next());
  expect((await Promise.all(asked)).map(({ value }) => value)).toEqual([
    1,
    2,
    3,
    4,
    undefined,
    undefined,
  ]);
});

test('a failure comes after all that came before it, to whoever asked first, and ends everything', async () => {
  const fails = () => {
    throw new Error('cut');
  };
  const items = oneByOne(batchesOf([[1, 2]], fails));
  expect((await items.next()).value).toBe(1);
  expect((await items.next()).value).toBe(2);
  const [first, second] = await Promise.allSettled([items.next(), items.next()]);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'cut' } });
  expect(second).toEqual({ status: 'fulfilled', value: { done: true, value: undefined } });
});

test('whoever stops reading closes the source, and nothing comes any more', async () => {
  const batches = batchesOf([[1, 2, 3], [4]]);
  const items = oneByOne(batches);
  for await (const item of items) if (item === 2) break;
  expect(batches.closed).toBe(1);
  expect(await read(items)).toEqual([]);
});
