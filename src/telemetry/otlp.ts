// The SDK and its exporter cost tens of milliseconds to load: only tracing.ts imports this file, and only when needed.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { CallError } from '#core/call-error.ts';
import type { SpanOptions, Tracer } from '#core/telemetry.ts';
import type { OtlpTarget } from './otlp-target.ts';
import { createRedactor } from './redact.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';
import type { Tracing, TracingOptions } from './tracing.ts';

/** A slow receiver costs spans, never work: at most this many wait in memory. */
const MAX_WAITING_SPANS = 4096;
const MAX_BATCH = 1024;
const SEND_EVERY_MS = 1000;
const SEND_TIMEOUT_MS = 10_000;
const STOP_WITHIN_MS = 3000;

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
        exporter,
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
      // Spans that cannot be sent are lost; the batches before them failed just as quietly.
      provider.shutdown().catch(() => {});
      // Once shutdown has begun, a flush is a wait for it that has a time limit.
      await provider.forceFlush({ timeoutMillis }).catch(() => {});
    },
  };
}

function createTracer(provider: TracerProvider, options: TracingOptions): Tracer {
  const sdk = provider.getTracer(options.serviceName, options.serviceVersion);
  const redact = createRedactor(options.secrets);
  const clean = (attributes: Attributes) => redact(attributes) as Attributes;
  // Of this tracing alone: two in one process do not see each other's spans, as they would through the API's globals.
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
          // The class and nothing else: a stranger's message may quote a prompt or a key.
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
