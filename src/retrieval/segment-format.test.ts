import { expect, test } from 'vitest';
import {
  bucketOf,
  decodeTexts,
  encodePostings,
  encodeTexts,
  findPostings,
  forEachPosting,
} from './segment-format.ts';

test('postings of many terms are found again in their buckets', () => {
  const postings = new Map(
    Array.from({ length: 5_000 }, (_, at): [string, number[]] => [
      `term${at}检`,
      [at, 1, at + 1, 3, at + 70_000, 255],
    ]),
  );
  const { buckets, parts } = encodePostings(postings);
  expect(buckets).toBeGreaterThan(8);
  const bytes = new Map(parts.map((part) => [part.at, part.bytes]));
  for (const [term, list] of postings) {
    const found = findPostings(bytes.get(bucketOf(term, buckets)) ?? new Uint8Array(0), term);
    const read: number[] = [];
    if (found) forEachPosting(found, (passage, count) => read.push(passage, count));
    expect(read).toEqual(list);
  }
  expect(
    findPostings(bytes.get(bucketOf('other', buckets)) ?? new Uint8Array(0), 'other'),
  ).toBeUndefined();
});

test('passages are packed and read back', () => {
  const passages = Array.from({ length: 21 }, (_, at) => ({
    place: { is: 'page' as const, number: at },
    text: `Text ${at} 检索`,
  }));
  const parts = encodeTexts(passages);
  expect(parts.map(({ at }) => at)).toEqual(parts.map((_, at) => at));
  expect(parts.flatMap(({ bytes }) => decodeTexts(bytes))).toEqual(passages);
});
