import { once } from 'node:events';
import { request } from 'node:https';
import { connect, createServer, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createIds } from '#core/ids.ts';
import { makeCertificates, type Certificates } from '#net/certificates.fixture.ts';
import { getFromDaemon } from '#net/get-from-daemon.ts';
import { jsonReply } from '#transport/http/reply.ts';
import { createListLog } from '../../../test/list-log.ts';
import { listenOnTcp } from './listen-on-tcp.ts';
import { systemClock, systemRandom } from '../system.ts';
import type { LoadedTls } from './tls-files.ts';

const UNTRUSTED = /^The certificate of the daemon is not trusted/;

let certificates: Certificates;
let renewed: Certificates;

beforeAll(() => {
  certificates = makeCertificates('DNS:exai.test,IP:127.0.0.1');
  renewed = makeCertificates('DNS:exai.test,IP:127.0.0.1');
});

const loaded = ({ cert, key }: Certificates): LoadedTls => ({
  cert,
  key,
  leaf: cert,
  names: ['exai.test'],
  validToMs: Number.POSITIVE_INFINITY,
  covers: () => true,
});

async function open(tls?: LoadedTls, port = 0, whenTaken: 'fail' | 'any_free' = 'fail') {
  const log = createListLog();
  const opened = await listenOnTcp(
    {
      host: '127.0.0.1',
      port,
      tls,
      routes: [{ method: 'GET', path: '/here', access: 'open', handle: () => jsonReply(200, {}) }],
      isTrusted: async () => true,
      clock: systemClock,
      newId: createIds(systemClock, systemRandom),
      log,
      metrics: {
        counter: () => ({ add: () => undefined }),
        histogram: () => ({ observe: () => undefined }),
        gauge: () => undefined,
      },
      tracer: {
        isOff: true,
        span: async <T>(_name: string, _options: object, work: (span: never) => Promise<T>) =>
          work({ traceId: '0'.repeat(32), traceparent: undefined, set: () => undefined } as never),
      },
      maxConnections: 8,
      upgrade: (_request, socket) => void socket.end('HTTP/1.1 418 upgraded\r\n\r\n'),
    },
    whenTaken,
  );
  onTestFinished(() => opened.listener.drain(0));
  return { ...opened, log };
}

async function hold(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('if any port is allowed, the taken port is reported with the one in use', async () => {
  const taken = await hold();
  const { bound, portTaken, log } = await open(undefined, taken, 'any_free');
  expect(bound.port).not.toBe(taken);
  expect(portTaken?.port).toBe(taken);
  expect(log.lines).toMatchObject([{ event: 'port_taken', fields: { port: taken } }]);
  expect(portTaken?.holder?.pid).toBe(process.platform === 'linux' ? process.pid : undefined);
});

test('if no other port is allowed, the refusal names the holder of the port', async () => {
  const taken = await hold();
  const holder = process.platform === 'linux' ? `pid ${process.pid}` : 'another program';
  await expect(open(undefined, taken)).rejects.toThrow(
    expect.objectContaining({
      class: 'conflict',
      message: expect.stringContaining(holder) as string,
    }),
  );
});

/** Requests over TLS, trusting only the test's CA. */
function get(port: number, headers: Record<string, string> = {}, ca = certificates.ca) {
  return new Promise<number>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      servername: 'exai.test',
      port,
      path: '/here',
      ca,
      agent: false,
      headers,
    } as const;
    const asked = request(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('with a certificate requests, upgrades and ignored upgrades work over TLS', async () => {
  const { bound } = await open(loaded(certificates));
  expect(bound.url).toBe(`https://127.0.0.1:${bound.port}`);
  expect(await get(bound.port)).toBe(200);
  expect(await get(bound.port, { host: 'exai.test' })).toBe(200);
  expect(await get(bound.port, { host: 'evil.test' })).toBe(403);
  const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMA' };
  expect(await get(bound.port, h2c)).toBe(200);
  expect(await get(bound.port, { connection: 'Upgrade', upgrade: 'websocket' })).toBe(418);
});

test('a plain HTTP connection is closed without an answer, and others are served', async () => {
  const { bound } = await open(loaded(certificates));
  const socket = connect(bound.port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (bytes) => received.push(bytes));
  socket.on('error', () => undefined);
  socket.write('GET /here HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer t\r\n\r\n');
  await once(socket, 'close');
  expect(Buffer.concat(received).toString('latin1')).not.toContain('HTTP/1.1 200');
  expect(await get(bound.port)).toBe(200);
});

test('connections over the limit are refused over TLS too, and accepted when others have closed', async () => {
  const { bound } = await open(loaded(certificates));
  const { port } = bound;
  const sockets = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = connectTls({ port, host: '127.0.0.1', ca: certificates.ca });
      socket.on('error', () => undefined);
      await once(socket, 'secureConnect');
      return socket;
    }),
  );
  // An idle connection is closed for it.
  expect(await get(port)).toBe(200);
  for (const socket of sockets) socket.destroy();
  expect(await get(port)).toBe(200);
});

test('silent handshakes are closed in favour of an active one', async () => {
  const { bound } = await open(loaded(certificates));
  const silent = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const socket = connect(bound.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    }),
  );
  for (let n = 0; n < 5; n += 1) expect(await get(bound.port)).toBe(200);
  for (const socket of silent) socket.destroy();
});

test('a program on this machine trusts only the recorded certificate', async () => {
  const { bound, listener } = await open(loaded(certificates));
  const ask = (certificate: string) =>
    getFromDaemon(`${bound.url}/here`, {
      timeoutMs: 5000,
      clock: systemClock,
      token: 't',
      certificate,
    });
  expect((await ask(certificates.cert)).status).toBe(200);
  await expect(ask(renewed.cert)).rejects.toThrow(UNTRUSTED);
  listener.renewTls(loaded(renewed));
  expect((await ask(renewed.cert)).status).toBe(200);
  await expect(ask(certificates.cert)).rejects.toThrow(UNTRUSTED);
});
