import { CallError } from '#core/errors/call-error.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import type { SecretTexts } from '../redaction/secret-list.ts';

export interface TracingOptions {
  /** OTLP base URL, to which `/v1/traces` is added. */
  endpoint?: string | undefined;
  /** The whole URL for traces; overrides `endpoint`. */
  tracesEndpoint?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Alone enables the export to Logfire; never sent to another host. */
  logfireToken?: string | undefined;
  /** Whether nothing may leave this machine; read for each batch of spans. */
  isOffline?: () => boolean;
  serviceName: string;
  serviceVersion: string;
  /** How long `stop` may take to send the remaining spans. Default 3000. */
  stopWithinMs?: number;
  /** Literal values to mask in attributes, beside patterns of secrets. */
  secrets?: SecretTexts;
}

export interface Tracing {
  tracer: Tracer;
  /** Sends the remaining spans within `stopWithinMs`. Never throws. */
  stop: () => Promise<void>;
}

/** Creates the tracer. Without a target no package is loaded and a span only calls its work. */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const target = resolveOtlpTarget(options);
  if (!target) return OFF;
  const { createOtlpTracing } = await import('./otlp.ts');
  return createOtlpTracing(target, options);
}

const NO_SPAN = { traceId: '0'.repeat(32), traceparent: undefined, set() {} };

const OFF: Tracing = {
  tracer: { isOff: true, span: async (_name, _options, work) => work(NO_SPAN) },
  stop: async () => {},
};

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const LOGFIRE = 'https://logfire-api.pydantic.dev';
const LOGFIRE_EU = 'https://logfire-eu.pydantic.dev';

/** The URL and headers of the collector; undefined when tracing is off. */
export function resolveOtlpTarget(options: TracingOptions): OtlpTarget | undefined {
  const { logfireToken, headers = {} } = options;
  const url = givenUrl(options);
  if (!url) {
    if (!logfireToken) return undefined;
    return {
      url: withTracesPath(logfireHost(logfireToken)),
      headers: { ...headers, Authorization: logfireToken },
    };
  }
  const isLogfire = url.hostname.endsWith('.pydantic.dev') && url.protocol === 'https:';
  const authorization = logfireToken && isLogfire ? { Authorization: logfireToken } : {};
  return { url: url.href, headers: { ...authorization, ...headers } };
}

function givenUrl({ endpoint, tracesEndpoint }: TracingOptions): URL | undefined {
  if (tracesEndpoint) return parsed(tracesEndpoint);
  // Also parsed before the path is added: with `http://` alone the path would become the host.
  return endpoint ? parsed(withTracesPath(parsed(endpoint).href)) : undefined;
}

/** The host for a token, which names its region: `pylf_v1_eu_…`. */
function logfireHost(token: string): string {
  return /^pylf_v\d+_eu_/.test(token) ? LOGFIRE_EU : LOGFIRE;
}

function withTracesPath(base: string): string {
  return `${base.replace(/\/+$/, '')}/v1/traces`;
}

function parsed(text: string): URL {
  const url = isUrl(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new CallError('validation', 'The OTLP endpoint is not an http or https URL.', {
    field: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fix: 'Give a base URL such as http://127.0.0.1:4318.',
  });
}
