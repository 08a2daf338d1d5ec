import type { Counter } from '#core/telemetry.ts';
import { createSeries, type SeriesRules } from './metric-series.ts';
import { formatSample, type Metric } from './prometheus.ts';

export function createCounter(name: string, help: string, rules: SeriesRules): Counter & Metric {
  const series = createSeries({ ...rules, create: () => ({ total: 0 }) });
  return {
    kind: 'counter',
    help,
    add(labels, by = 1) {
      // A counter that could fall, or turn into NaN, would read as a restart.
      if (!(by >= 0 && by < Infinity)) return;
      const value = series.at(labels);
      if (value) value.total += by;
    },
    samples: () =>
      series
        .list()
        .map(([labels, { total }]) => formatSample(name, labels, total))
        .join(''),
  };
}
