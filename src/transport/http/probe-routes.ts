import { json, type Route } from './route.ts';

/** What the probes report on; handed in by app/. */
interface Probed {
  readonly version: string;
  /** Tells this process from any other that may answer at this address. */
  readonly instance: string;
  readonly pid: number;
  uptimeS(): number;
  /** Resolves in bounded time and never rejects. */
  readiness(): Promise<{ readonly ready: boolean }>;
  /** In the Prometheus text format. */
  metricsText(): string;
}

/** Liveness, readiness and metrics. The first says that the process answers, the second that it can do its work. */
export function probeRoutes(probed: Probed): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'open',
      handle({ caller }) {
        const { version, instance, pid } = probed;
        const health = { status: 'ok', version, uptimeS: probed.uptimeS(), instance };
        return json(200, caller === 'trusted' ? { ...health, pid } : health);
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'open',
      async handle({ caller }) {
        const readiness = await probed.readiness();
        const { ready } = readiness;
        // A load balancer needs the one word; what the store is, and why it fails, is not for strangers.
        return json(ready ? 200 : 503, caller === 'trusted' ? readiness : { ready });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'token',
      handle: () => ({
        status: 200,
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        body: probed.metricsText(),
      }),
    },
  ];
}
