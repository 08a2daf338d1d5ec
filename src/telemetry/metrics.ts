import type { Labels, Metrics } from '#core/telemetry.ts';
import { createCounter } from './counter.ts';
import { createHistogram, SECONDS } from './histogram.ts';
import type { SeriesRules } from './metric-series.ts';
import {
  formatMetrics,
  formatSample,
  isMetricName,
  sampleNames,
  type Metric,
} from './prometheus.ts';
import type { Redactor } from './redact.ts';

export interface MetricsRegistry extends Metrics {
  /** Everything, in the Prometheus text format 0.0.4. */
  text(): string;
}

export interface MetricsOptions {
  /** Label sets kept per metric; updates of further ones are dropped and counted. Default 1000. */
  maxSeries?: number;
  /** Keeps secrets out of labels: a metric is read by more people than a log. */
  redact?: Redactor;
}

const DROPPED = 'exai_metrics_dropped_series_total';

export function createMetrics(options: MetricsOptions = {}): MetricsRegistry {
  const { maxSeries = 1000, redact } = options;
  const clean = redact ? (labels: Labels) => redact(labels) as Labels : (labels: Labels) => labels;
  const metrics = new Map<string, Metric>();
  const owners = new Map<string, string>();

  /** A wrong or taken name is a bug of the caller, so it throws where the metric is made, not where it is used. */
  function claim(name: string, kind: Metric['kind']): void {
    if (!isMetricName(name)) throw new RangeError(`"${name}" is not a name for a metric.`);
    for (const sample of sampleNames(name, kind)) {
      const owner = owners.get(sample) ?? name;
      if (owner !== name) throw new RangeError(`${name} and ${owner} would both write ${sample}.`);
      owners.set(sample, name);
    }
  }

  function register<M extends Metric>(name: string, kind: M['kind'], create: () => M): M {
    const known = metrics.get(name);
    if (known?.kind === kind) return known as M;
    if (known) throw new RangeError(`${name} is a ${known.kind}, not a ${kind}.`);
    claim(name, kind);
    const metric = create();
    metrics.set(name, metric);
    return metric;
  }

  function rulesOf(name: string): SeriesRules {
    return { max: maxSeries, onFull: () => dropped.add({ metric: name }), clean };
  }

  const dropped = register(DROPPED, 'counter', () =>
    createCounter(
      DROPPED,
      'Updates dropped because their metric has as many label sets as it may.',
      // As many series as there are metrics, which only code can add.
      { max: Infinity, onFull: () => {}, clean },
    ),
  );

  return {
    counter: (name, help) =>
      register(name, 'counter', () => createCounter(name, help, rulesOf(name))),
    histogram: (name, help, buckets = SECONDS) =>
      register(name, 'histogram', () => createHistogram(name, help, buckets, rulesOf(name))),
    gauge(name, help, read) {
      register(name, 'gauge', () => ({ kind: 'gauge', help, samples: () => '' }));
      metrics.set(name, { kind: 'gauge', help, samples: () => sampleOf(name, read) });
    },
    text: () => formatMetrics(metrics),
  };
}

function sampleOf(name: string, read: () => number): string {
  try {
    return formatSample(name, '', read());
  } catch {
    // One reader that fails costs its own line, not the scrape.
    return '';
  }
}
