import type { Config } from '#config/schema/config.schema.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { secretValues } from '#config/secrets/mask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry/telemetry.ts';
import { VERSION } from '#core/version.ts';
import { createLogs } from '#telemetry/logs/logs.ts';
import { createMetrics } from '#telemetry/metrics/metrics.ts';
import { createRedactor } from '#telemetry/redaction/redact.ts';
import type { SecretTexts } from '#telemetry/redaction/secret-list.ts';
import { createTracing, type Tracing } from '#telemetry/tracing/tracing.ts';
import type { System } from './system.ts';

export interface Telemetry {
  readonly log: Log;
  /** `attempts.jsonl`: one line for each request to a model, and for each change of a breaker. */
  readonly crumbs: Log;
  readonly metrics: Metrics & { text(): string };
  readonly tracer: Tracer;
  /** Sets the listener for each line of the daemon's log; the last one set is called. */
  onLine?(listener: () => void): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the daemon's log, metrics and tracing. Settings of the log are read at each use. */
export async function startTelemetry(
  { config, home }: LoadedConfig,
  system: System,
  secrets: SecretTexts = secretValues(config),
): Promise<Telemetry> {
  let onDaemonLine = () => {};
  const logs = createLogs({
    dir: home.logDir,
    clock: system.clock,
    get timeZone() {
      return config.timezone;
    },
    get maxBytes() {
      return config.log.maxBytes;
    },
    get keepFiles() {
      return config.log.keepFiles;
    },
    secrets,
    onLine: (name) => name === 'daemon' && onDaemonLine(),
    onProblem: (message) => system.warn(message),
  });
  const tracing = await startTracing(config, secrets).catch(async (thrown: unknown) => {
    await logs.close();
    throw thrown;
  });
  return {
    log: logs.log('daemon'),
    crumbs: logs.log('attempts'),
    metrics: createMetrics({ redact: createRedactor(secrets) }),
    tracer: tracing.tracer,
    onLine: (listener) => void (onDaemonLine = listener),
    flush: () => logs.flush(),
    async stop() {
      await tracing.stop();
      await logs.close();
    },
  };
}

function startTracing(config: Config, secrets: SecretTexts): Promise<Tracing> {
  return createTracing({
    endpoint: config.tracing.endpoint,
    tracesEndpoint: config.tracing.tracesEndpoint,
    headers: otlpHeaders(config.tracing.headers),
    logfireToken: config.tracing.logfireToken,
    isOffline: () => config.network.offline,
    serviceName: 'exai',
    serviceVersion: VERSION,
    secrets,
  });
}

/**
 * Parses comma-separated `name=value` pairs with percent-encoded values, OpenTelemetry's format of
 * this setting.
 */
export function otlpHeaders(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map(toHeader));
}

function toHeader(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(at, 0)).trim();
  try {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new URIError(name);
    return [name, decodeURIComponent(pair.slice(at + 1).trim())];
  } catch (cause) {
    // The pair may be a secret, so it is not shown.
    throw new CallError(
      'validation',
      'tracing.headers must be name=value pairs separated by commas.',
      {
        field: 'OTEL_EXPORTER_OTLP_HEADERS',
        fixes: [
          fix('set_setting', {
            setting: 'OTEL_EXPORTER_OTLP_HEADERS',
            value: 'pairs such as api-key=abc,team=one',
          }),
        ],
        cause,
      },
    );
  }
}
