import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { CallError } from '#core/errors/call-error.ts';
import { isLoopbackHost } from '#core/net/is-loopback-host.ts';
import type { SpanOptions, Tracer } from '#core/telemetry/telemetry.ts';
import { createRedactor } from '../redaction/redact.ts';
import type { OtlpTarget, Tracing, TracingOptions } from './tracing.ts';

// The SDK and its exporter cost tens of milliseconds to load: only tracing.ts imports this file,
// and only when needed.

/** Spans that may wait in memory; a slow collector loses spans and does not block work. */
const MAX_WAITING_SPANS = 4096;
const MAX_BATCH = 1024;
const SEND_EVERY_MS = 1000;
const SEND_TIMEOUT_MS = 10_000;
const STOP_WITHIN_MS = 3000;

/** Of OpenTelemetry's `ExportResultCode`, in a package that is not ours to import. */
const EXPORT_SUCCEEDED = 0;

type Attributes = NonNullable<SpanOptions['attributes']>;

export function createOtlpTracing(target: OtlpTarget, options: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: target.url,
    headers: { ...target.headers },
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.serviceVersion,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withinReach(exporter, target, options),
        maxQueueSize: MAX_WAITING_SPANS,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  });
  const timeoutMillis = options.stopWithinMs ?? STOP_WITHIN_MS;
  return {
    tracer: createTracer(provider, options),
    async stop() {
      // Spans that cannot be sent are dropped silently, as in earlier batches.
      provider.shutdown().catch(() => {});
      // After shutdown has begun, forceFlush waits for it with a time limit.
      await provider.forceFlush({ timeoutMillis }).catch(() => {});
    },
  };
}

/** Drops spans for another machine while the daemon is offline. */
function withinReach(
  exporter: OTLPTraceExporter,
  { url }: OtlpTarget,
  { isOffline = () => false }: TracingOptions,
): SpanExporter {
  const isHere = isLoopbackHost(new URL(url).hostname);
  return {
    export(spans, onDone) {
      if (isHere || !isOffline()) exporter.export(spans, onDone);
      else onDone({ code: EXPORT_SUCCEEDED });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}

function createTracer(provider: TracerProvider, options: TracingOptions): Tracer {
  const sdk = provider.getTracer(options.serviceName, options.serviceVersion);
  const redact = createRedactor(options.secrets);
  const clean = (attributes: Attributes) => redact(attributes) as Attributes;
  // Local to this tracer: two tracers in one process must not share spans, as they would through
  // the API's globals.
  const current = new AsyncLocalStorage<Context>();

  return {
    span(name, { attributes = {}, traceparent }, work) {
      const parent = contextOf(traceparent) ?? current.getStore() ?? ROOT_CONTEXT;
      const span = sdk.startSpan(String(redact(name)), { attributes: clean(attributes) }, parent);
      const context = span.spanContext();
      const view = {
        traceId: context.traceId,
        traceparent: formatTraceparent(context),
        set: (key: string, value: string | number | boolean) =>
          void span.setAttributes(clean({ [key]: value })),
      };
      return current.run(trace.setSpan(parent, span), async () => {
        try {
          return await work(view);
        } catch (thrown) {
          // Only the class: a foreign message may quote a prompt or a key.
          const { class: errorClass } = CallError.from(thrown);
          span.setStatus({ code: SpanStatusCode.ERROR, message: errorClass });
          span.setAttribute('error.type', errorClass);
          throw thrown;
        } finally {
          span.end();
        }
      });
    },
  };
}

function contextOf(traceparent: string | undefined): Context | undefined {
  const remote = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return remote && trace.setSpanContext(ROOT_CONTEXT, remote);
}

// W3C Trace Context: version 00 ends after the flags; later versions may have more fields. Version
// ff is invalid.
const SHAPE = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const MAX_CHARS = 256;

/** Parses the span of the caller; undefined when the header is invalid. */
export function parseTraceparent(header: string): SpanContext | undefined {
  if (header.length > MAX_CHARS) return undefined;
  const [, version, traceId, spanId, flags, more] = SHAPE.exec(header.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
