import type { Labels } from '#core/telemetry.ts';

/** One metric as the registry sees it. */
export interface Metric {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly help: string;
  /** Its lines, each ending in a newline. */
  samples(): string;
}

/** Every name that a metric's lines begin with. */
export function sampleNames(name: string, kind: Metric['kind']): string[] {
  return kind === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

export function isMetricName(name: string): boolean {
  return /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name);
}

/** The text format 0.0.4, in an order that does not depend on who came first. */
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

/** `method="GET",path="/"`, ordered by name. What a label name may not hold becomes an underscore. */
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
  // `le` belongs to the buckets of histograms, a leading `__` to Prometheus.
  return /^(?:\d|__|le$|$)/.test(safe) ? `label_${safe}` : safe;
}

function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('"', String.raw`\"`);
}
