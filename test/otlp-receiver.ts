import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** `undefined` when the status is unset; 2 is an error. */
  status: { code?: number; message?: string };
  attributes: Record<string, unknown>;
  events: unknown[];
  resource: Record<string, unknown>;
}

export interface OtlpReceiver {
  /** Base URL, without `/v1/traces`. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly requests: { path: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}
interface JsonSpan extends Omit<ReceivedSpan, 'attributes' | 'resource' | 'events'> {
  attributes?: Attribute[];
  events?: unknown[];
}
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: JsonSpan[] }[];
  }[];
}

/**
 * An OTLP/HTTP collector on loopback that keeps what it is sent. `silent` accepts connections and
 * never answers.
 */
export async function startOtlpReceiver(
  manner: 'answering' | 'silent' = 'answering',
): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      if (manner === 'silent') return;
      spans.push(...spansOf(JSON.parse(Buffer.concat(body).toString()) as Export));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, status, attributes, events }) => ({
        name,
        traceId,
        spanId,
        parentSpanId,
        status,
        attributes: toRecord(attributes ?? []),
        events: events ?? [],
        resource: toRecord(resource.attributes),
      })),
    ),
  );
}

function toRecord(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
