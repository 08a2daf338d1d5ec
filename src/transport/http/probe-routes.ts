import type { Route } from './route-dispatcher.ts';
import { jsonReply } from './reply.ts';

/** What the probes report. */
interface ProbeSource {
  readonly version: string;
  /** Identifies this process: another one may listen at this address later. */
  readonly instance: string;
  readonly pid: number;
  uptimeS(): number;
  /** Must resolve in bounded time and never reject. */
  readiness(): Promise<{ readonly ready: boolean }>;
  /** In the Prometheus text format. */
  metricsText(): string;
}

/** The routes of liveness (the process responds), readiness (it can do its work) and metrics. */
export function probeRoutes(source: ProbeSource): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'open',
      handle({ caller }) {
        const { version, instance, pid } = source;
        const health = { status: 'ok', version, uptimeS: source.uptimeS(), instance };
        return jsonReply(200, caller === 'trusted' ? { ...health, pid } : health);
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'open',
      async handle({ caller }) {
        const readiness = await source.readiness();
        const { ready } = readiness;
        // A load balancer needs only `ready`; details about the store are for the owner.
        return jsonReply(ready ? 200 : 503, caller === 'trusted' ? readiness : { ready });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'token',
      handle: () => ({
        status: 200,
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        body: source.metricsText(),
      }),
    },
  ];
}
