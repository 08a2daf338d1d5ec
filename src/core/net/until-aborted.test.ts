import { describe, expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe('a source until a signal aborts', () => {
  test('gives every item of lists and streams, with and without a signal', async () => {
    const { signal } = new AbortController();
    async function* stream() {
      yield* [1, 2, 3];
    }
    for (const each of [signal, undefined]) {
      expect(await collect(untilAborted([1, 2, 3], each))).toEqual([1, 2, 3]);
      expect(await collect(untilAborted(stream(), each))).toEqual([1, 2, 3]);
      expect(await collect(untilAborted([], each))).toEqual([]);
    }
  });

  test('passes on the failure of the source', async () => {
    async function* failing() {
      yield 1;
      throw new Error('broken');
    }
    const { signal } = new AbortController();
    await expect(collect(untilAborted(failing(), signal))).rejects.toThrow('broken');
  });

  test('ends at the signal, while the source is silent, and tells the source', async () => {
    const aborting = new AbortController();
    let told = 0;
    const silent: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next() {
          aborting.abort(new Error('cancelled'));
          return new Promise(() => {});
        },
        async return() {
          told += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    await expect(collect(untilAborted(silent, aborting.signal))).rejects.toThrow('cancelled');
    expect(told).toBe(1);
    await expect(collect(untilAborted([1], aborting.signal))).rejects.toThrow('cancelled');
  });

  test('tells the source when the reader leaves', async () => {
    let isClosed = false;
    async function* stream() {
      try {
        yield* [1, 2, 3];
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of untilAborted(stream(), new AbortController().signal)) break;
    await expect.poll(() => isClosed).toBe(true);
  });
});
