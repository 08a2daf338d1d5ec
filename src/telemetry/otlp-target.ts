import { CallError } from '#core/call-error.ts';
import { isUrl } from '#core/is-url.ts';
import type { TracingOptions } from './tracing.ts';

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const LOGFIRE = 'https://logfire-api.pydantic.dev';
const LOGFIRE_EU = 'https://logfire-eu.pydantic.dev';

/** Where spans go and with which headers, or nowhere. */
export function targetOf(options: TracingOptions): OtlpTarget | undefined {
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
  // Parsed before the path is added too: `http://` alone would make that path its host.
  return endpoint ? parsed(withTracesPath(parsed(endpoint).href)) : undefined;
}

/** A token names the region it is good for: `pylf_v1_eu_…`. */
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
