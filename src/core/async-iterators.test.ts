import { describe, expect, test } from 'vitest';
import { deferIterator, flattenBatches, type BatchSource } from './async-iterators.ts';
import { CallError } from './errors/call-error.ts';

describe('flattenBatches', () => {
  /** Gives these batches, then what comes after them, each when it is let go. */
  function batchesOf(
    batches: readonly (readonly number[])[],
    after: () => undefined = () => undefined,
  ): BatchSource<number> & { closed: number } {
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

  test('items of batches are yielded in order, empty batches skipped', async () => {
    const items = flattenBatches(batchesOf([[1, 2], [], [3], [4, 5, 6], []]));
    expect(await read(items)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  test('concurrent calls of next get every item once and in order', async () => {
    const items = flattenBatches(batchesOf([[1], [2, 3], [4]]));
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

  test('a failure comes after all items before it, for the first caller, and ends the iterator', async () => {
    const fails = () => {
      throw new Error('cut');
    };
    const items = flattenBatches(batchesOf([[1, 2]], fails));
    expect((await items.next()).value).toBe(1);
    expect((await items.next()).value).toBe(2);
    const [first, second] = await Promise.allSettled([items.next(), items.next()]);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'cut' } });
    expect(second).toEqual({ status: 'fulfilled', value: { done: true, value: undefined } });
  });

  test('return closes the source, and nothing comes any more', async () => {
    const batches = batchesOf([[1, 2, 3], [4]]);
    const items = flattenBatches(batches);
    for await (const item of items) if (item === 2) break;
    expect(batches.closed).toBe(1);
    expect(await read(items)).toEqual([]);
  });
});

describe('deferIterator', () => {
  test('a source that fails to open fails for its reader, and after return the iterator is over', async () => {
    const failing = () =>
      deferIterator<number>(() => Promise.reject(new CallError('network', 'Nobody is there.')));
    await expect(failing().next()).rejects.toMatchObject({ class: 'network' });
    const left = failing();
    await left.return?.();
    expect(await left.next()).toEqual({ done: true, value: undefined });
  });
});
