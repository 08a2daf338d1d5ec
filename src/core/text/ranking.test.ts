import { expect, test } from 'vitest';
import { inverseDocumentFrequency, lengthFactor, termScore } from './bm25.ts';
import { fuseRankings } from './fuse-rankings.ts';

test('rare terms, frequent occurrences and short texts count more', () => {
  expect(inverseDocumentFrequency(100, 1)).toBeGreaterThan(inverseDocumentFrequency(100, 50));
  expect(inverseDocumentFrequency(1, 1)).toBeGreaterThan(0);
  expect(termScore(1, 2, 1)).toBeGreaterThan(termScore(1, 1, 1));
  expect(termScore(1, 1, lengthFactor(50, 100))).toBeGreaterThan(
    termScore(1, 1, lengthFactor(200, 100)),
  );
  expect(lengthFactor(0, 0)).toBeGreaterThan(0);
});

test('fused rankings add up, whatever the scale of their scores', () => {
  const fused = fuseRankings([
    {
      weight: 0.5,
      items: [
        { key: 'a', score: 900 },
        { key: 'b', score: 800 },
        { key: 'c', score: 1 },
      ],
    },
    {
      weight: 0.5,
      items: [
        { key: 'b', score: 0.9 },
        { key: 'd', score: 0.1 },
      ],
    },
  ]);
  expect(fused.map(({ key }) => key)).toEqual(['b', 'a', 'c', 'd']);
  expect(fuseRankings([{ weight: 1, items: [] }])).toEqual([]);
  const same = fuseRankings([{ weight: 1, items: [{ key: 'a', score: 2 }] }]);
  expect(same).toEqual([{ key: 'a', score: 1 }]);
});
