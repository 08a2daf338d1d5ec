import { once } from 'node:events';
import { createServer as createHttpServer, request, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { makeCertificates } from '../certificates.fixture.ts';
import { failureOf, get, httpFor, listen, NO_NETWORK, serve, serveRaw } from '../net.fixture.ts';

const made = makeCertificates('DNS:vendor.test,DNS:the.proxy,IP:127.0.0.1');
const loopback = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

/** Forwards everything to one port of this machine and records the requested destinations. */
async function startProxy(toPort: number, secure: 'plain' | 'tls' = 'plain') {
  const asked: { line: string; host: string | undefined; authorization: string | undefined }[] = [];
  const note = (message: IncomingMessage) =>
    asked.push({
      line: `${message.method} ${message.url}`,
      host: message.headers.host,
      authorization: message.headers['proxy-authorization'],
    });
  const server = secure === 'tls' ? createHttpsServer(made) : createHttpServer();
  server.on('request', (message, response) => {
    note(message);
    const path = new URL(message.url ?? '').pathname;
    const onwards = request({ host: '127.0.0.1', port: toPort, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 500);
      answer.pipe(response);
    });
    message.pipe(onwards);
  });
  server.on('connect', (message: IncomingMessage, socket: Socket) => {
    note(message);
    const onwards = connect(toPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\nvia: x\r\n\r\n');
      socket.pipe(onwards).pipe(socket);
    });
    onwards.on('error', () => socket.destroy());
    socket.on('error', () => onwards.destroy());
    socket.on('close', () => onwards.destroy());
  });
  return { ...(await listen(server)), asked };
}

function secureServer() {
  return listen(
    createHttpsServer(made, (message, response) => {
      const { servername } = message.socket as unknown as { servername: string };
      response.end(
        `${message.headers.host} ${servername} ${message.headers['proxy-authorization']}`,
      );
    }),
  );
}

verifies(
  'net:proxy',
  'https:// goes through a tunnel, credentials to the proxy alone',
  async () => {
    const server = await secureServer();
    const proxy = await startProxy(server.port);
    const httpsProxy = `http://me:s3cret@127.0.0.1:${proxy.port}`;
    const http = httpFor({ network: { ...NO_NETWORK, httpsProxy, extraCa: made.ca } });
    const response = await http.send(get('https://vendor.test/v1'));
    expect(await response.text(100)).toBe('vendor.test vendor.test undefined');
    expect(proxy.asked).toEqual([
      {
        line: 'CONNECT vendor.test:443',
        host: 'vendor.test:443',
        authorization: `Basic ${btoa('me:s3cret')}`,
      },
    ]);
  },
);

verifies('net:proxy', 'http:// is handed to the proxy whole', async () => {
  const server = await serve((message, response) =>
    response.end(`${message.url} ${message.headers['proxy-authorization']}`),
  );
  const proxy = await startProxy(server.port);
  const httpProxy = `http://me:s3cret@127.0.0.1:${proxy.port}`;
  const http = httpFor({ network: { ...NO_NETWORK, httpProxy } });
  const response = await http.send(get('http://vendor.test:8080/v1?a=b'));
  expect(await response.text(100)).toBe('/v1 undefined');
  expect(proxy.asked).toEqual([
    {
      line: 'GET http://vendor.test:8080/v1?a=b',
      host: 'vendor.test:8080',
      authorization: `Basic ${btoa('me:s3cret')}`,
    },
  ]);
});

test('the way to the proxy may itself be encrypted', async () => {
  const server = await secureServer();
  const proxy = await startProxy(server.port, 'tls');
  const httpsProxy = `https://the.proxy:${proxy.port}`;
  const http = httpFor({
    network: { ...NO_NETWORK, httpsProxy, extraCa: made.ca },
    resolve: loopback,
  });
  const response = await http.send(get('https://vendor.test/'));
  expect(await response.text(100)).toContain('vendor.test vendor.test');
});

verifies('net:proxy', 'what NO_PROXY names, and this machine, go without', async () => {
  const server = await serve((_, response) => response.end('direct'));
  const proxy = await startProxy(server.port);
  const at = `http://127.0.0.1:${proxy.port}`;
  const network = { ...NO_NETWORK, httpProxy: at, httpsProxy: at, noProxy: '.vendor.test' };
  const http = httpFor({ network, resolve: loopback });
  for (const host of ['api.vendor.test', '127.0.0.1', 'localhost']) {
    const response = await http.send(get(`http://${host}:${server.port}/`));
    expect(await response.text(100)).toBe('direct');
  }
  expect(proxy.asked).toEqual([]);
});

verifies(
  'net:ssrf',
  'through a proxy, the tunnel goes to the address that was judged',
  async () => {
    const server = await secureServer();
    const proxy = await startProxy(server.port);
    const at = `http://127.0.0.1:${proxy.port}`;
    let lookups = 0;
    const http = httpFor({
      guard: 'public',
      network: { ...NO_NETWORK, httpProxy: at, httpsProxy: at, extraCa: made.ca },
      resolve: () =>
        Promise.resolve([
          { address: (lookups += 1) === 1 ? '93.184.216.34' : '10.0.0.1', family: 4 },
        ]),
    });
    const response = await http.send(get('https://vendor.test/'));
    expect(await response.text(100)).toContain('vendor.test vendor.test');
    expect(proxy.asked.map(({ line }) => line)).toEqual(['CONNECT 93.184.216.34:443']);
    expect((await failureOf(http.send(get('http://other.test/')))).class).toBe('permission');
    expect(proxy.asked).toHaveLength(1);
  },
);

verifies(
  'net:ssrf',
  'http:// from outside is tunnelled as well, with the name as its host',
  async () => {
    const server = await serve((message, response) => response.end(message.headers.host));
    const proxy = await startProxy(server.port);
    const http = httpFor({
      guard: 'public',
      network: { ...NO_NETWORK, httpProxy: `http://127.0.0.1:${proxy.port}` },
      resolve: () => Promise.resolve([{ address: '2606:4700::1111', family: 6 }]),
    });
    expect(await (await http.send(get('http://site.test/'))).text(100)).toBe('site.test');
    expect(proxy.asked.map(({ line }) => line)).toEqual(['CONNECT [2606:4700::1111]:80']);
  },
);

test.each<[string, string, string, string]>([
  ['wants credentials', 'HTTP/1.1 407 No\r\n\r\n', 'not_configured', 'wants a user and a password'],
  [
    'refuses',
    'HTTP/1.1 403 Forbidden\r\n\r\n',
    'network',
    'refused a connection to vendor.test (status 403)',
  ],
  ['fails', 'HTTP/1.0 502\r\n\r\n', 'network', '(status 502)'],
  ['is none', 'SSH-2.0\r\n\r\n', 'network', 'does not answer as a proxy does'],
  [
    'never ends its head',
    `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(5000)}`,
    'network',
    'does not answer as a proxy does',
  ],
  ['hangs up', '', 'network', 'does not answer as a proxy does'],
])('a proxy that %s is named, its password is not', async (_, bytes, errorClass, message) => {
  const proxy = await serveRaw((socket) => void socket.once('data', () => socket.end(bytes)));
  const httpsProxy = `http://me:s3cret@127.0.0.1:${proxy.port}`;
  const http = httpFor({ network: { ...NO_NETWORK, httpsProxy } });
  const error = await failureOf(http.send(get('https://vendor.test/')));
  expect(error.class).toBe(errorClass);
  expect(error.message).toContain(`The proxy 127.0.0.1:${proxy.port} `);
  expect(error.message).toContain(message);
  expect(JSON.stringify(error)).not.toContain('s3cret');
  await proxy.untilQuiet();
});

test('a proxy that is not there is named', async () => {
  const proxy = await serveRaw(() => undefined);
  proxy.server.close();
  await once(proxy.server, 'close');
  const httpsProxy = `http://127.0.0.1:${proxy.port}`;
  const error = await failureOf(
    httpFor({ network: { ...NO_NETWORK, httpsProxy } }).send(get('https://vendor.test/')),
  );
  expect(error.message).toBe(`The proxy 127.0.0.1:${proxy.port} refused the connection.`);
});

test.each([
  ['https://vendor.test/', 'network.httpsProxy', 'HTTPS_PROXY'],
  ['http://vendor.test/', 'network.httpProxy', 'HTTP_PROXY'],
])(
  'a proxy of an unknown name on the way to %s is reported with its setting',
  async (url, field, variable) => {
    const at = 'http://me:s3cret@nohost.invalid:999';
    const http = httpFor({
      network: { ...NO_NETWORK, httpProxy: at, httpsProxy: at },
      resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    });
    expect((await failureOf(http.send(get(url)))).toJSON()).toMatchObject({
      class: 'network',
      message: 'The name of the proxy nohost.invalid:999 is unknown.',
      field,
      fix: `Correct ${field} (${variable}), or unset ${field}.`,
    });
  },
);

test('a proxy that is configured for TLS and does not speak it is reported', async () => {
  const proxy = await serveRaw(
    (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 No\r\n\r\n')),
  );
  const network = { ...NO_NETWORK, httpsProxy: `https://127.0.0.1:${proxy.port}` };
  const error = await failureOf(httpFor({ network }).send(get('https://vendor.test/')));
  expect(error.message).toContain(`The proxy 127.0.0.1:${proxy.port} does not speak TLS as we do`);
  expect([error.field, error.fix]).toEqual([
    'network.httpsProxy',
    'Try http:// instead of https://.',
  ]);
});

test('a proxy that does not answer is given up after ten seconds', async () => {
  const clock = createFakeClock();
  const proxy = await serveRaw((socket) => void socket.resume());
  const httpsProxy = `http://127.0.0.1:${proxy.port}`;
  const http = httpFor({ clock, network: { ...NO_NETWORK, httpsProxy } });
  const sending = failureOf(http.send(get('https://vendor.test/')));
  const [socket] = (await once(proxy.server, 'connection')) as [Socket];
  await once(socket, 'data');
  clock.advance(10_000);
  expect((await sending).class).toBe('timeout');
  await proxy.untilQuiet();
});
