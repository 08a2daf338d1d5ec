import { expect, onTestFinished } from 'vitest';
import { startOtlpReceiver } from '../otlp-receiver.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';
import { get } from '../http-get.ts';

verifies(
  'tracing:otlp',
  'the span of a request arrives, at the latest when the daemon stops',
  async () => {
    const receiver = await startOtlpReceiver();
    onTestFinished(() => receiver.close());
    const { serve } = createHome();
    const daemon = await serve([], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await get(`${daemon.url}/healthz`, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    await get(`${daemon.url}/a/path/of/a/stranger`);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);

    expect(receiver.spans).toMatchObject([
      {
        name: 'GET /healthz',
        traceId,
        parentSpanId: '00f067aa0ba902b7',
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/healthz',
          'url.path': '/healthz',
          'http.response.status_code': 200,
        },
        resource: { 'service.name': 'exai' },
      },
      { name: 'GET', attributes: { 'http.response.status_code': 404 } },
    ]);
    expect(JSON.stringify(receiver.spans)).not.toContain('stranger');
  },
);
