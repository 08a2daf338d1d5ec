import type { Labels } from '#core/telemetry/telemetry.ts';

/** A metric in the registry. */
export interface Metric {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  /** Its sample lines, each ending in a newline. */
  samples(): string;
}

/** All sample names of a metric. */
export function sampleNames(name: string, kind: Metric['kind']): string[] {
  return kind === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

export function isMetricName(name: string): boolean {
  return /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name);
}

/** Formats all metrics in the text format 0.0.4, sorted by name. */
export function formatMetrics(metrics: ReadonlyMap<string, Metric>): string {
  return [...metrics]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, metric]) => {
      const help = metric.help.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${metric.kind}\n${metric.samples()}`;
    })
    .join('');
}

export function formatSample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${formatNumber(value)}\n`;
}

/**
 * Formats labels as `method="GET",path="/"`, sorted by name. Invalid characters of a name become
 * underscores.
 */
export function formatLabels(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${labelName(name)}="${escapeLabel(String(labels[name]))}"`)
    .join(',');
}

export function formatNumber(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function labelName(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_]/g, '_');
  // `le` is reserved for histogram buckets, a leading `__` for Prometheus.
  return /^(?:\d|__|le$|$)/.test(safe) ? `label_${safe}` : safe;
}

function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('"', String.raw`\"`);
}
