import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Address } from '../connect/open-socket.ts';
import { failureOf, get, httpFor, NO_NETWORK, serve } from '../net.fixture.ts';

const PUBLIC: Address = { address: '93.184.216.34', family: 4 };
const LOOPBACK: Address = { address: '127.0.0.1', family: 4 };

const at = (address: string): Address => ({ address, family: address.includes(':') ? 6 : 4 });

verifies('net:ssrf', 'a name that leads to anything but public addresses is refused', async () => {
  const answers = [
    [LOOPBACK],
    [PUBLIC, LOOPBACK],
    [LOOPBACK, PUBLIC],
    [PUBLIC, at('10.0.0.1')],
    [at('169.254.169.254')],
    [at('0.0.0.0')],
    [at('::1')],
    [at('::')],
    [at('::ffff:127.0.0.1')],
    [at('64:ff9b::a9fe:a9fe')],
    [at('2002:a9fe:a9fe::')],
    [at('fd00:ec2::254')],
    [at('fe80::1%lo')],
    [at('100.100.100.200')],
    [at('168.63.129.16')],
    [PUBLIC, at('2606:4700::1111'), at('fe80::1')],
    [at('127.1')],
    [at('nonsense')],
  ];
  for (const answer of answers) {
    const http = httpFor({ guard: 'public', resolve: () => Promise.resolve(answer) });
    const error = await failureOf(http.send(get('http://rebind.example.com:8080/')));
    expect([answer, error.class]).toEqual([answer, 'permission']);
    expect(error.message).toMatch(/^rebind\.example\.com:8080 leads to /);
    // What the names of an intranet stand for is not told.
    for (const { address } of answer) expect(error.message).not.toContain(address);
  }
});

verifies('net:ssrf', 'a literal address is judged though nothing is looked up', async () => {
  const server = await serve((_, response) => response.end('secret'));
  const http = httpFor({
    guard: 'public',
    resolve: () => Promise.reject(new Error('nothing is to be looked up')),
  });
  for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', '2130706433']) {
    const error = await failureOf(http.send(get(`http://${host}:${server.port}/`)));
    expect(error.class).toBe('permission');
  }
  expect(server.sockets).toEqual([]);
});

verifies(
  'net:ssrf',
  'a name that changes its mind after it was judged reaches nothing',
  async () => {
    const server = await serve((_, response) => response.end('secret'));
    let lookups = 0;
    const http = httpFor({
      guard: 'public',
      network: { ...NO_NETWORK, allowPrivate: [`first.example.com:${server.port}`] },
      resolve: (host) => {
        lookups += 1;
        return Promise.resolve(host.startsWith('first') || lookups > 2 ? [LOOPBACK] : [PUBLIC]);
      },
    });
    // Looked up once for each connection: what was judged is what is connected to.
    const first = await http.send(get(`http://first.example.com:${server.port}/`));
    expect(await first.text(10)).toBe('secret');
    expect(lookups).toBe(1);
    const stop = new AbortController();
    const second = http.send(get('http://second.example.com:8080/', { signal: stop.signal }));
    stop.abort(new Error('the public address is not to be reached in a test'));
    await expect(second).rejects.toThrow('not to be reached');
    const third = await failureOf(http.send(get('http://second.example.com:8080/')));
    expect(third.class).toBe('permission');
    expect(server.sockets).toHaveLength(1);
  },
);

test('addresses of the configuration may lead to this machine', async () => {
  const server = await serve((_, response) => response.end('mine'));
  const response = await httpFor().send(get(server.url));
  expect(await response.text(10)).toBe('mine');
});

test('a place that the user has named is reached', async () => {
  const server = await serve((_, response) => response.end('intranet'));
  const network = { ...NO_NETWORK, allowPrivate: [`127.0.0.1:${server.port}`] };
  const http = httpFor({ guard: 'public', network });
  expect(await (await http.send(get(server.url))).text(10)).toBe('intranet');
});
