import { createServer } from 'node:https';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { makeCertificates } from '../certificates.fixture.ts';
import { failureOf, get, httpFor, listen, NO_NETWORK, serve } from '../net.fixture.ts';
import { checkCa, trustedCertificates } from './extra-ca.ts';

const made = makeCertificates();
const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

function secureServer(certificates = made) {
  return listen(
    createServer(certificates, (request, response) => {
      const { servername } = request.socket as unknown as { servername: string | false };
      response.end(`${request.headers.host} ${servername}`);
    }),
  );
}

verifies('net:ca', 'an authority of the user is trusted beside the usual ones', async () => {
  const { port } = await secureServer();
  const http = httpFor({ network: { ...NO_NETWORK, extraCa: made.ca }, resolve });
  const byName = await http.send(get(`https://vendor.test:${port}/`));
  expect(await byName.text(100)).toBe(`vendor.test:${port} vendor.test`);
  const byAddress = await http.send(get(`https://127.0.0.1:${port}/`));
  expect(await byAddress.text(100)).toBe(`127.0.0.1:${port} false`);
  expect(trustedCertificates(made.ca).length).toBeGreaterThan(100);
});

verifies('net:ca', 'without it the server is refused, and the setting is named', async () => {
  const { port } = await secureServer();
  const error = await failureOf(
    httpFor({ resolve }).send(get(`https://vendor.test:${port}/?key=x`)),
  );
  expect(error.class).toBe('network');
  expect(error.message).toMatch(
    /^The certificate of vendor\.test:\d+ is not trusted \([A-Z_]+\)\.$/,
  );
  expect(error.fix).toContain('network.caFile (EXAI_CA_FILE)');
});

test('a certificate for another name is refused', async () => {
  const { port } = await secureServer();
  const http = httpFor({ network: { ...NO_NETWORK, extraCa: made.ca }, resolve });
  const error = await failureOf(http.send(get(`https://other.test:${port}/`)));
  expect([error.class, error.message]).toEqual([
    'network',
    `The certificate that other.test:${port} shows is for another name.`,
  ]);
});

test('a server without TLS is recognised', async () => {
  const { port } = await serve((_, response) => response.end());
  const error = await failureOf(httpFor().send(get(`https://127.0.0.1:${port}/`)));
  expect(error.class).toBe('network');
  expect(error.message).toContain('does not speak TLS as we do');
});

test('connections are resumed and reused', async () => {
  const server = await secureServer();
  const http = httpFor({ network: { ...NO_NETWORK, extraCa: made.ca }, resolve });
  for (let round = 0; round < 3; round += 1) {
    await (await http.send(get(`https://vendor.test:${server.port}/`))).text(100);
  }
  expect(server.sockets).toHaveLength(1);
  for (const socket of server.sockets) socket.destroy();
  await server.untilQuiet();
  await expect
    .poll(() =>
      http.send(get(`https://vendor.test:${server.port}/`)).then(
        (answer) => answer.text(100),
        () => '',
      ),
    )
    .toContain('vendor.test');
});

verifies('net:ca', 'a file that holds no certificate is refused before anything is sent', () => {
  expect(() => checkCa(made.ca)).not.toThrow();
  expect(() => checkCa(`# comment\n${made.ca}\n${made.cert}`)).not.toThrow();
  const wrong = [
    '',
    'hello',
    made.key,
    made.ca.replace(/M/g, '!'),
    `${made.ca}${made.cert.slice(0, 200)}\n-----END CERTIFICATE-----\n`,
  ];
  for (const pem of wrong) {
    expect(() => checkCa(pem)).toThrow(/^The file of network\.caFile holds/);
  }
});
