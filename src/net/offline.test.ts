import { expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { failureOf, get, httpFor, NO_NETWORK, serve } from './net.fixture.ts';

const OFFLINE = { ...NO_NETWORK, reach: 'this_machine' } as const;
const noLookup = () => Promise.reject(new Error('nothing is to be looked up'));

verifies('net:offline', 'another machine is refused, and its name is not looked up', async () => {
  const network = { ...OFFLINE, httpProxy: 'http://127.0.0.1:1', httpsProxy: 'http://127.0.0.1:1' };
  for (const guard of ['configured', 'public'] as const) {
    const http = httpFor({ network, guard, resolve: noLookup });
    for (const url of ['https://api.example.com/v1', 'http://10.0.0.1/', 'http://[fd00::1]/']) {
      const error = await failureOf(http.send(get(url)));
      expect([url, error.class, error.reason?.code]).toEqual([url, 'not_configured', 'offline']);
    }
  }
});

verifies('net:offline', 'a server on this machine is reached', async () => {
  const server = await serve((_, response) => response.end('here'));
  const http = httpFor({ network: OFFLINE, resolve: noLookup });
  expect(await http.send(get(`http://127.0.0.1:${server.port}/`))).toMatchObject({ status: 200 });
});

verifies('net:offline', 'a name of this machine that leads elsewhere is refused', async () => {
  const resolve = () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]);
  const http = httpFor({ network: OFFLINE, resolve });
  const error = await failureOf(http.send(get('http://localhost:8080/')));
  expect(error.reason?.code).toBe('offline');
});
