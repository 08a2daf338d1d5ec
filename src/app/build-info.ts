import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from '#core/telemetry/telemetry.ts';
import { VERSION } from '#core/version.ts';
import { MIGRATIONS } from '#store/migrations/migrations.ts';

/** Version and build of this program, for `exai version` and bug reports. */
export const BUILD = {
  version: VERSION,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  /** The store schema version it reads and writes. */
  schema: MIGRATIONS.length,
} as const;

const NS_PER_S = 1e9;
// Sampling interval of the event loop delay; coarse, so that an idle daemon stays idle.
const RESOLUTION_MS = 100;

/** CPU time of the process so far, of all its threads. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Reports process metrics under the names that Prometheus dashboards for Node.js use. */
export function reportProcess(metrics: Metrics, startedAtMs: number): { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  metrics.gauge(
    'process_start_time_seconds',
    'When the process started.',
    () => startedAtMs / 1000,
  );
  metrics.gauge('process_resident_memory_bytes', 'Memory held by the process.', () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge(
    'nodejs_heap_size_used_bytes',
    'Memory used by JavaScript objects.',
    () => process.memoryUsage().heapUsed,
  );
  metrics.gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'How late the event loop was, 99th percentile since the last scrape.',
    () => {
      const p99 = Math.max(0, delay.percentile(99) / NS_PER_S - RESOLUTION_MS / 1000);
      delay.reset();
      return p99;
    },
  );
  return { stop: () => void delay.disable() };
}
