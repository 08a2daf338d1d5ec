/** Facts of a log line. Values are redacted on their way to disk, so nothing here needs to be pre-masked. */
export type Fields = Readonly<Record<string, unknown>>;

/** One line per event, written to the log it was made for. Never throws, never waits. */
export interface Log {
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** A log whose every line carries these fields too, such as `req_id`. */
  with(fields: Fields): Log;
}

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels?: Labels, by?: number): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

/** Names follow Prometheus: `exai_calls_total`, `exai_call_seconds`. Asking twice for a name gives the same metric. */
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
  /** To send on to whoever is called from inside the span; absent when tracing is off. */
  readonly traceparent: string | undefined;
  set(name: string, value: string | number | boolean): void;
}

export interface Tracer {
  /** Spans go nowhere: whoever is called often may do without. */
  readonly isOff?: true;
  /** Runs `work` inside a span, which ends with it and carries its failure. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}
