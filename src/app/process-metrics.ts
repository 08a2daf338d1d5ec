import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from '#core/telemetry.ts';

const NS_PER_S = 1e9;
// How often the delay is sampled: coarse, so that an idle daemon stays idle.
const RESOLUTION_MS = 100;

/** The process itself as metrics, by the names that Prometheus dashboards for Node.js know. */
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
