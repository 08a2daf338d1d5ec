import { RENAMED_METRICS } from '#core/telemetry/renamed-names.ts';
import type { Counter, Histogram, Labels, Metrics } from '#core/telemetry/telemetry.ts';
import type { Redactor } from '../redaction/redact.ts';
import {
  formatLabels,
  formatMetrics,
  formatNumber,
  formatSample,
  isMetricName,
  sampleNames,
  type Metric,
} from './prometheus.ts';

interface MetricsRegistry extends Metrics {
  /** All metrics in the Prometheus text format 0.0.4. */
  text(): string;
}

interface MetricsOptions {
  /** Label sets per metric; updates of further ones are dropped and counted. Default 1000. */
  maxSeries?: number;
  /** Removes secrets from labels, because more people read metrics than logs. */
  redact?: Redactor;
}

const DROPPED = 'exai_metrics_dropped_series_total';

export function createMetrics(options: MetricsOptions = {}): MetricsRegistry {
  const { maxSeries = 1000, redact } = options;
  const clean = redact ? (labels: Labels) => redact(labels) as Labels : (labels: Labels) => labels;
  const metrics = new Map<string, Metric>();
  const owners = new Map<string, string>();

  /**
   * Reserves the sample names of a metric. An invalid or taken name is a bug, so it throws at
   * registration.
   */
  function claim(name: string, kind: Metric['kind'], owner = name): void {
    if (!isMetricName(name)) throw new RangeError(`"${name}" is not a name for a metric.`);
    for (const sample of sampleNames(name, kind)) {
      const known = owners.get(sample) ?? owner;
      if (known !== owner)
        throw new RangeError(`${owner} and ${known} would both write ${sample}.`);
      owners.set(sample, owner);
    }
  }

  function register<M extends Metric>(name: string, kind: M['kind'], create: () => M): M {
    const known = metrics.get(name);
    if (known?.kind === kind) return known as M;
    if (known) throw new RangeError(`${name} is a ${known.kind}, not a ${kind}.`);
    claim(name, kind);
    const old = RENAMED_METRICS[name];
    if (old !== undefined) claim(old, kind, name);
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
      // No limit: there is one series per metric, and only code adds metrics.
      { max: Infinity, onFull: () => {}, clean },
    ),
  );

  return {
    counter: (name, help) =>
      register(name, 'counter', () => createCounter(name, help, rulesOf(name))),
    histogram: (name, help, buckets = SECONDS_BUCKETS) =>
      register(name, 'histogram', () => createHistogram(name, help, buckets, rulesOf(name))),
    gauge(name, help, read) {
      register(name, 'gauge', () => ({ kind: 'gauge', help, samples: () => '' }));
      metrics.set(name, { kind: 'gauge', help, samples: () => sampleOf(name, read) });
    },
    text: () => formatMetrics(withOldNames(metrics)),
  };
}

/** Adds the old names of renamed metrics, so that dashboards work for one more release. */
function withOldNames(metrics: ReadonlyMap<string, Metric>): ReadonlyMap<string, Metric> {
  const all = new Map(metrics);
  for (const [name, old] of Object.entries(RENAMED_METRICS)) {
    const metric = metrics.get(name);
    if (metric === undefined) continue;
    const rename = (line: string) => (line === '' ? '' : `${old}${line.slice(name.length)}`);
    const samples = () => metric.samples().split('\n').map(rename).join('\n');
    all.set(old, { kind: metric.kind, help: `Renamed in 0.2.0: use ${name}.`, samples });
  }
  return all;
}

function sampleOf(name: string, read: () => number): string {
  try {
    return formatSample(name, '', read());
  } catch {
    // A gauge whose reader throws loses its line, not the whole scrape.
    return '';
  }
}

/** The values of one metric by label set. */
interface Series<Value> {
  /** The value for these labels, or undefined when the metric has its maximum of label sets. */
  at(labels: Labels | undefined): Value | undefined;
  /** Formatted labels with their values, sorted. */
  list(): [labels: string, value: Value][];
}

/** Limits and label cleaning of all metrics in a registry. */
interface SeriesRules {
  max: number;
  onFull: () => void;
  /** Removes secrets from labels. */
  clean: (labels: Labels) => Labels;
}

interface SeriesOptions<Value> extends SeriesRules {
  create: () => Value;
}

const NONE: Labels = Object.freeze({});

function createSeries<Value>(options: SeriesOptions<Value>): Series<Value> {
  const { create, max, onFull, clean } = options;
  const values = new Map<string, Value>();
  // Values by labels as the caller wrote them, so that each spelling is cleaned and formatted once.
  const spellings = new Map<string, Value>();
  // Values by frozen label objects, which cannot change and need no reading.
  const frozen = new WeakMap<Labels, Value>();
  // Rejected spellings, so that repeated ones stay cheap.
  const turnedAway = new Set<string>();

  function find(labels: Labels, spelling: string): Value | undefined {
    const formatted = formatLabels(clean(labels));
    let value = values.get(formatted);
    if (value === undefined) {
      if (values.size >= max) {
        if (turnedAway.size < max * 16) turnedAway.add(spelling);
        onFull();
        return undefined;
      }
      value = create();
      values.set(formatted, value);
    }
    if (spellings.size < max * 2) spellings.set(spelling, value);
    return value;
  }

  return {
    at(labels = NONE) {
      const same = frozen.get(labels);
      if (same !== undefined) return same;
      let spelling = '';
      for (const name in labels) {
        const value = String(labels[name]);
        // The length prefix keeps a value from imitating another label.
        spelling += `${name}\n${value.length}\n${value}`;
      }
      const known = spellings.get(spelling);
      if (known === undefined && turnedAway.has(spelling)) {
        onFull();
        return undefined;
      }
      const value = known ?? find(labels, spelling);
      if (value !== undefined && Object.isFrozen(labels)) frozen.set(labels, value);
      return value;
    },
    list: () => [...values].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

function createCounter(name: string, help: string, rules: SeriesRules): Counter & Metric {
  const series = createSeries({ ...rules, create: () => ({ total: 0 }) });
  return {
    kind: 'counter',
    help,
    add(labels, by = 1) {
      // A counter that falls or becomes NaN would look like a restart.
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

/** Upper bounds of buckets in seconds, from a memory lookup to a model that reasons for minutes. */
const SECONDS_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
] as const;

function createHistogram(
  name: string,
  help: string,
  buckets: readonly number[],
  rules: SeriesRules,
): Histogram & Metric {
  const bounds = [...new Set(buckets)].filter((bound) => bound < Infinity).sort((a, b) => a - b);
  const series = createSeries({
    ...rules,
    // One more than the bounds: the last bucket counts values above all of them.
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
