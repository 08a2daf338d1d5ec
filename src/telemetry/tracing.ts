import type { Tracer } from '#core/telemetry.ts';
import { targetOf } from './otlp-target.ts';

export interface TracingOptions {
  /** OTLP base URL, to which `/v1/traces` is added. */
  endpoint?: string | undefined;
  /** Where traces go, taken as it is; wins over `endpoint`. */
  tracesEndpoint?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Enough by itself to export to Logfire; never sent anywhere else. */
  logfireToken?: string | undefined;
  serviceName: string;
  serviceVersion: string;
  /** How long `stop` may take to send what is left. Default 3000. */
  stopWithinMs?: number;
  /** Literal values to mask in attributes, beside what looks like a secret. */
  secrets?: readonly string[];
}

export interface Tracing {
  tracer: Tracer;
  /** Sends what is left, within the time given. Never throws. */
  stop: () => Promise<void>;
}

/** Spans to wherever the options point; without a target, no package is loaded and a span is a plain call. */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const target = targetOf(options);
  if (!target) return OFF;
  const { createOtlpTracing } = await import('./otlp.ts');
  return createOtlpTracing(target, options);
}

const NO_SPAN = { traceId: '0'.repeat(32), traceparent: undefined, set() {} };

const OFF: Tracing = {
  tracer: { isOff: true, span: async (_name, _options, work) => work(NO_SPAN) },
  stop: async () => {},
};
