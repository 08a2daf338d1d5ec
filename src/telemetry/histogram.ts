import type { Histogram } from '#core/telemetry.ts';
import { createSeries, type SeriesRules } from './metric-series.ts';
import { formatNumber, formatSample, type Metric } from './prometheus.ts';

/** Upper bounds in seconds, from a lookup in memory to a model that thinks for minutes. */
export const SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
] as const;

export function createHistogram(
  name: string,
  help: string,
  buckets: readonly number[],
  rules: SeriesRules,
): Histogram & Metric {
  const bounds = [...new Set(buckets)].filter((bound) => bound < Infinity).sort((a, b) => a - b);
  const series = createSeries({
    ...rules,
    // One more than there are bounds: the last counts what lies above them all.
    create: () => ({ counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }),
  });

  function bucketOf(value: number): number {
    const found = bounds.findIndex((bound) => value <= bound);
    return found === -1 ? bounds.length : found;
  }

  return {
    kind: 'histogram',
    help,
    observe(value, labels) {
      if (!Number.isFinite(value)) return;
      const seen = series.at(labels);
      if (!seen) return;
      const bucket = bucketOf(value);
      seen.counts[bucket] = (seen.counts[bucket] ?? 0) + 1;
      seen.sum += value;
    },
    samples: () =>
      series
        .list()
        .map(([labels, { counts, sum }]) => {
          const before = labels === '' ? '' : `${labels},`;
          let below = 0;
          const lines = counts.map((count, index) => {
            below += count;
            const bound = formatNumber(bounds[index] ?? Infinity);
            return formatSample(`${name}_bucket`, `${before}le="${bound}"`, below);
          });
          lines.push(formatSample(`${name}_sum`, labels, sum));
          lines.push(formatSample(`${name}_count`, labels, below));
          return lines.join('');
        })
        .join(''),
  };
}
