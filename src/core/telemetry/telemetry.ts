/** Fields of a log line. Values are redacted when written, so callers need not mask them. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured log with one line per event. Never throws and never waits. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A child log that adds these fields to every line, such as `req_id`. */
  with(fields: LogFields): Log;
}

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels?: Labels, by?: number): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

/**
 * A metrics registry. Names follow Prometheus: `exai_calls_total`, `exai_call_seconds`. The same
 * name returns the same metric.
 */
export interface Metrics {
  counter(name: string, help: string): Counter;
  histogram(name: string, help: string, buckets?: readonly number[]): Histogram;
  /** A value read when the metrics are scraped. */
  gauge(name: string, help: string, read: () => number): void;
}

export interface SpanOptions {
  attributes?: Readonly<Record<string, string | number | boolean>>;
  /** W3C `traceparent` of the caller, when it sent one. */
  traceparent?: string;
}

export interface Span {
  /** 32 hex digits; all zero when tracing is off. */
  readonly traceId: string;
  /** Propagated to services called inside the span; absent if tracing is off. */
  readonly traceparent: string | undefined;
  set(name: string, value: string | number | boolean): void;
}

export interface Tracer {
  /** Set if tracing is off, so that hot paths can skip spans. */
  readonly isOff?: true;
  /** Runs `work` inside a span, which ends with it and records its failure. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}
