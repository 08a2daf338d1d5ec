import type { Config } from '#config/config.schema.ts';
import type { LoadedConfig } from '#config/load.ts';
import { secretValues } from '#config/mask.ts';
import type { Log, Metrics, Tracer } from '#core/telemetry.ts';
import { VERSION } from '#core/version.ts';
import { createLogs } from '#telemetry/logs.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createRedactor } from '#telemetry/redact.ts';
import { createTracing, type Tracing } from '#telemetry/tracing.ts';
import { otlpHeaders } from './otlp-headers.ts';
import type { System } from './system.ts';

export interface Telemetry {
  readonly log: Log;
  /** `attempts.jsonl`: one line for each request to a model, and for each change of a breaker. */
  readonly crumbs: Log;
  readonly metrics: Metrics & { text(): string };
  readonly tracer: Tracer;
  /** Calls it for each line of the daemon's log; whoever comes last is told. */
  onLine?(listener: () => void): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** The daemon's log, metrics and spans. */
export async function startTelemetry(
  { config, home }: LoadedConfig,
  system: System,
): Promise<Telemetry> {
  const secrets = secretValues(config);
  let heard = () => {};
  const logs = createLogs({
    dir: home.logDir,
    clock: system.clock,
    timeZone: config.timezone,
    maxBytes: config.log.maxBytes,
    keepFiles: config.log.keepFiles,
    secrets,
    onLine: (name) => name === 'daemon' && heard(),
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
    onLine: (listener) => void (heard = listener),
    flush: () => logs.flush(),
    async stop() {
      await tracing.stop();
      await logs.close();
    },
  };
}

function startTracing(config: Config, secrets: readonly string[]): Promise<Tracing> {
  return createTracing({
    endpoint: config.tracing.endpoint,
    tracesEndpoint: config.tracing.tracesEndpoint,
    headers: otlpHeaders(config.tracing.headers),
    logfireToken: config.tracing.logfireToken,
    serviceName: 'exai',
    serviceVersion: VERSION,
    secrets,
  });
}
